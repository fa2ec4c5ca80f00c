import AsyncChannels
import Foundation
import SharedChannels
import Synchronization

/// Tells the readers of open logs when to read.
final class LogNews: Sendable {
  private let open = Mutex<[String: [ObjectIdentifier: CurrentValue<Int>]]>([:])
  /// Of the connection that listens, the server's process; nil before there is one.
  private let listener = Mutex<Int64?>(nil)
  /// Logs that are not open any more, which the database may not know yet.
  private let left = Mutex<[String]>([])

  /// What a handle follows.
  final class Following: Sendable {
    /// How often there was a reason to read.
    let reasons = CurrentValue(0)
    /// What was appended here and not read yet.
    private let own = Mutex<[(entry: Logged<Data>, markBefore: Int64)]>([])
    /// Where the reader has all for which there was a reason.
    private let caughtUp = Mutex<(position: Position?, reasons: Int)?>(nil)
    /// The listener that the database knows to follow the log.
    fileprivate let registered = Mutex<Int64?>(nil)
    fileprivate let log: String
    private let all: LogNews

    fileprivate init(_ log: String, in all: LogNews) {
      (self.log, self.all) = (log, all)
      all.open.withLock { $0[log, default: [:]][ObjectIdentifier(self)] = reasons }
    }

    deinit {
      all.open.withLock { open in
        open[log]?[ObjectIdentifier(self)] = nil
        guard open[log]?.isEmpty == true else { return }
        open[log] = nil
        all.left.withLock { $0.append(log) }
      }
    }

    func add(_ stored: some Sequence<(LogAppend.Stored, Keyed<Data>)>) {
      own.withLock { own in
        for (stored, element) in stored where !stored.receipt.isRepeated {
          let entry = Logged(
            position: stored.receipt.position, key: element.key, value: element.value)
          own.append((entry, stored.markBefore))
        }
        // A reader that is so far behind reads from the database.
        let size = own.reduce(0) { $0 + $1.entry.value.count }
        if own.count > 500 || size > LogAppend.bytes { own = [] }
      }
      reasons.update { $0 += 1 }
    }

    func forgetOwn() {
      own.withLock { $0 = [] }
    }

    /// The entries that come next, if they were appended here. They are durable, and so are all before.
    func takeOwn(after known: Position?) -> [Logged<Data>]? {
      own.withLock { own in
        own.removeAll { $0.entry.position.index <= known?.index ?? 0 }
        var (last, taken) = (known, [Logged<Data>]())
        for (entry, markBefore) in own {
          // Else others have appended in between, or the log was set back.
          guard let position = last, position.epoch == entry.position.epoch,
            position.index + 1 == entry.position.index, position.mark == markBefore
          else { break }
          taken.append(entry)
          last = entry.position
        }
        own.removeFirst(taken.count)
        return taken.isEmpty ? nil : taken
      }
    }

    /// Whether the reader at this position waits for a further reason. Not before the database tells of the log.
    func hasAll(upTo position: Position?, for reasons: Int) -> Bool {
      guard let listener = all.listener.withLock({ $0 }),
        registered.withLock({ $0 }) == listener,
        let caughtUp = caughtUp.withLock({ $0 })
      else { return false }
      return caughtUp == (position, reasons)
    }

    /// - Parameter reasons: As many as there were before the read that came to this position, or found nothing after it.
    func note(_ position: Position?, for reasons: Int) {
      caughtUp.withLock { $0 = (position, reasons) }
    }
  }

  func follow(_ log: String) -> Following { Following(log, in: self) }

  /// Tells the readers of other machines. If it fails, they look later.
  var tell: PostgresCall {
    PostgresCall(PostgresCall.tell.name, .integer(listener.withLock { $0 } ?? 0))
  }

  /// Makes the database tell of these logs, before they are read. Without a listener, they are read again when there is
  /// one.
  func register(_ logs: [Following], on session: PostgresSession) async throws {
    guard let listener = listener.withLock({ $0 }) else { return }
    let new = logs.filter { log in log.registered.withLock { $0 } != listener }
    let gone = left.withLock { $0 }
    if new.isEmpty && gone.isEmpty { return }
    let follow = PostgresCall(
      "follow", .integer(listener), .texts(new.map(\.log)), .texts(gone))
    try await session.call([follow]) { _ in }
    left.withLock { $0.removeFirst(gone.count) }
    for log in new { log.registered.withLock { $0 = listener } }
  }

  /// Until the task is cancelled.
  func listen(on session: PostgresSession, every interval: Duration) async {
    var pause = Duration.milliseconds(50)
    while !Task.isCancelled {
      do {
        let (names, process) = try await session.notifications(until: .now + interval)
        pause = .milliseconds(50)
        if let names {
          for name in Set(names) { read(name) }
        } else {
          // On a new connection, there may have been others before.
          listener.withLock { $0 = process }
          readAll()
        }
      } catch {
        try? await Task.sleep(for: pause)
        pause = min(pause * 2, .seconds(2))
      }
    }
  }

  private func read(_ log: String) {
    let all = open.withLock { $0[log].map { Array($0.values) } ?? [] }
    for reasons in all { reasons.update { $0 += 1 } }
  }

  private func readAll() {
    let all = open.withLock { $0.values.flatMap(\.values) }
    for reasons in all { reasons.update { $0 += 1 } }
  }
}
