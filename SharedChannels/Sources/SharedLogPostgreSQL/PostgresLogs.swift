import AsyncChannels
import Foundation
import SharedChannels
import Synchronization

/// Many logs in one schema of a PostgreSQL database, for any number of machines, over three connections of each: one
/// appends, one reads, and one listens. For ``SharedRooms``.
///
/// ```swift
/// let logs = PostgresLogs(try PostgresAddress(text))
/// let rooms = SharedRooms { SharedChannel(Document(), log: try logs.log($0), snapshotInterval: 500) }
/// ```
///
/// Each log has an order of its own. What several logs append at a time is one step, and waits for the disk once; so do
/// reads of several logs. A machine reads back what others have appended, and is told only of entries in logs that it has
/// open. A log that is not open costs this machine nothing. A log that was never used is made by the first handle that asks
/// for its end, and stays. All have ``PostgresLog``'s limits of time.
public final class PostgresLogs: Sendable {
  let appends = Input<LogAppend.Asked>()
  let reads = Input<LogRead.Asked>()
  let calls = Input<LogCall.Asked>()
  let news = LogNews()
  private let work: Mutex<[Task<Void, Never>]>

  /// Begins to listen now, and connects the others with the first call. Makes the schema if it is missing.
  ///
  /// - Parameters:
  ///   - address: Where the database is.
  ///   - schema: Which logs of the database: a lower-case letter, then up to 50 lower-case letters, digits and `_`.
  ///     Anything else traps.
  ///   - pollInterval: How often all open logs are looked through for entries that no notification told of. Traps if it
  ///     is not positive.
  public init(
    _ address: PostgresAddress, schema: String = "shared_logs",
    pollInterval: Duration = .seconds(60)
  ) {
    let schema = PostgresSchema(checked: schema)
    precondition(
      pollInterval > .zero, "Logs are looked through after some time, not after \(pollInterval).")
    let calling = PostgresSession(address, schema)
    let reading = PostgresSession(address, schema)
    let listening = PostgresSession(address, schema, isListening: true)
    work = Mutex([
      Task { [appends, news] in
        for await batch in appends.received.batches(ofAtMost: 256) {
          for part in LogAppend.parts(of: batch) {
            await LogAppend.perform(part, on: calling, telling: news)
          }
        }
      },
      Task { [calls] in
        for await call in calls.received { await LogCall.perform(call, on: calling) }
      },
      Task { [reads, news] in
        for await batch in reads.received.batches(ofAtMost: 64) {
          await LogRead.perform(batch, on: reading, registeringWith: news)
        }
      },
      Task { [news] in await news.listen(on: listening, every: pollInterval) },
    ])
  }

  deinit {
    work.withLock { for task in $0 { task.cancel() } }
  }

  /// A handle on a log.
  ///
  /// - Throws: ``LogFailure/refused(_:)`` if the name does not have 1 to 200 characters of ASCII that can be printed.
  public func log(_ name: String) throws -> PostgresLog {
    guard (1...200).contains(name.utf8.count), name.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
    else {
      throw LogFailure.refused(
        "the name of a log has 1 to 200 characters of ASCII that can be printed")
    }
    return PostgresLog(name, self)
  }
}
