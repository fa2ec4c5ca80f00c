import AsyncChannels
import Foundation
public import SharedChannels
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
/// reads of several logs. A log costs nothing while no handle of it is open. Otherwise each is what ``PostgresLog`` is, with
/// the same limits of time. A log that was never used is made by the first handle that asks for its end, and stays.
public final class PostgresLogs: Sendable {
  let appends = Input<Request<LogAppend, Result<[LogAppend.Stored], any Error>>>()
  let reads = Input<Request<LogRead, Result<PostgresPage?, any Error>>>()
  let calling: PostgresSession
  let news = LogNews()
  private let work: Mutex<[Task<Void, Never>]>

  /// Connects now, and again whenever a connection is lost. Makes the schema if it is missing.
  ///
  /// - Parameters:
  ///   - address: Where the database is.
  ///   - schema: Which logs of the database: a lower-case letter, then up to 50 lower-case letters, digits and `_`.
  ///     Anything else traps. It is not the schema of a ``PostgresLog``.
  ///   - pollInterval: How often all open logs are looked through for entries that no notification told of.
  public init(
    _ address: PostgresAddress, schema: String = "shared_logs",
    pollInterval: Duration = .seconds(60)
  ) {
    let schema = PostgresSchema(checked: schema, .manyLogs)
    let (calling, reading, listening) = (
      PostgresSession(address, schema), PostgresSession(address, schema),
      PostgresSession(address, schema, isListening: true)
    )
    self.calling = calling
    work = Mutex([
      Task { [appends] in
        for await batch in appends.received.batches(ofAtMost: 256) {
          for part in LogAppend.parts(of: batch) { await LogAppend.perform(part, on: calling) }
        }
      },
      Task { [reads] in
        for await batch in reads.received.batches(ofAtMost: 64) {
          await LogRead.perform(batch, on: reading)
        }
      },
      Task { [news] in await news.listen(on: listening, every: pollInterval) },
    ])
  }

  deinit {
    work.withLock { for task in $0 { task.cancel() } }
  }

  /// What an administrator runs for a role that may not create it.
  ///
  /// - Parameter schema: Traps if it is not a name as ``init(_:schema:pollInterval:)`` wants it.
  public static func definition(schema: String = "shared_logs") -> String {
    PostgresSchema(checked: schema, .manyLogs).text
  }

  /// A handle on a log.
  ///
  /// - Throws: ``LogFailure/refused(_:)`` if the name does not have 1 to 200 characters of ASCII that can be printed.
  public func log(_ name: String) throws -> some SharedLog {
    guard (1...200).contains(name.utf8.count), name.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
    else {
      throw LogFailure.refused(
        "the name of a log has 1 to 200 characters of ASCII that can be printed")
    }
    return OneOfManyLogs(name: name, logs: self, news: news.follow(name))
  }
}

/// One of the logs of ``PostgresLogs``.
struct OneOfManyLogs: SharedLog {
  let name: String
  let logs: PostgresLogs
  let news: LogNews.Following

  func append(_ batch: [Keyed<Data>]) async throws -> [Receipt] {
    guard !batch.isEmpty else { return [] }
    let stored = try await answer(of: logs.appends.inlet.ask(LogAppend(log: name, batch: batch)))
    news.add(zip(stored, batch))
    return stored.map(\.receipt)
  }

  func entries(after known: Position?) async throws -> [Logged<Data>] {
    for await told in news.told.outlet {
      if let own = news.takeOwn(after: known) {
        news.note(own.last?.position, after: told)
        return own
      }
      if news.hasAll(of: told, upTo: known) { continue }
      let read = LogRead(log: name, known: known, news: news.limit(of: told))
      guard let page = try await answer(of: logs.reads.inlet.ask(read)) else {
        news.note(known, after: told)
        continue
      }
      switch page {
      case .entries(let entries, isLast: let isLast):
        if isLast { news.note(entries.last?.position, after: told) }
        return entries
      case .otherEpoch(let epoch): throw LogFailure.otherEpoch(epoch)
      case .gap(let index, let found): throw LogFailure.gap(after: index, found: found)
      case .isLost(let lost):
        throw LogFailure.otherEpoch(
          try await call(
            "begin_epoch", .text(lost.epoch), .integer(lost.index), .integer(lost.mark)
          ) {
            $0.text(0, 0)
          })
      }
    }
    throw CancellationError()
  }

  func end() async throws -> Position { try await call("last") { $0.position(0) } }

  func snapshot(upToVersion version: Int) async throws -> Snapshot? {
    try await call("newest_snapshot", .integer(version)) { $0.snapshot }
  }

  func keep(_ snapshot: Snapshot) async throws {
    let position = snapshot.position
    try await call(
      "keep", .integer(snapshot.version), .text(position.epoch), .integer(position.index),
      .integer(position.mark), .bytes(snapshot.data)
    ) { _ in }
  }

  func blank(_ position: Position) async throws {
    news.forgetOwn()
    try await call(
      "blank", .text(position.epoch), .integer(position.index), .integer(position.mark)
    ) { _ in }
  }

  func compact(before index: Int64, behind snapshot: Position) async throws -> Int {
    news.forgetOwn()
    return try await call(
      "compact", .integer(index), .text(snapshot.epoch), .integer(snapshot.index),
      .integer(snapshot.mark)
    ) { Int($0.integer(0, 0)) }
  }

  private func call<Value: Sendable>(
    _ function: String, _ values: PostgresValue..., read: @Sendable (PostgresRows) throws -> Value
  ) async throws -> Value {
    try await logs.calling.call([PostgresCall(function, [.text(name)] + values)], read)
  }

  /// There is none if this task was cancelled.
  private func answer<Value>(of reply: Result<Value, any Error>?) throws -> Value {
    guard let reply else {
      try Task.checkCancellation()
      throw LogFailure.unreachable("the request to the database was dropped")
    }
    return try reply.get()
  }
}

/// What a log appends, to be carried out with what others do.
struct LogAppend: Sendable {
  typealias Asked = Request<LogAppend, Result<[LogAppend.Stored], any Error>>
  let log: String
  let batch: [Keyed<Data>]

  struct Stored: Sendable {
    let receipt: Receipt
    /// That of the entry before.
    let markBefore: Int64
  }

  static let bytes = 8 << 20

  /// What is carried out in one step: so many bytes, or a single request.
  static func parts(of requests: [Asked]) -> [[Asked]] {
    var (parts, size) = ([[Asked]](), 0)
    for request in requests where request.isAwaited {
      let more = request.question.batch.reduce(0) { $0 + $1.value.count }
      if parts.isEmpty || size + more > bytes {
        parts.append([])
        size = 0
      }
      size += more
      parts[parts.count - 1].append(request)
    }
    return parts
  }

  static func perform(_ requests: [Asked], on session: PostgresSession) async {
    let appends = requests.map(\.question)
    let entries = appends.flatMap(\.batch)
    let logs = appends.flatMap { append in append.batch.map { _ in append.log } }
    let append = PostgresCall(
      "append", .texts(logs), .texts(entries.map(\.key)), .bytes(entries.map(\.value)),
      .integer(Int64.random(in: 1 ... .max)))
    do {
      let all = try await session.call([append, PostgresCall("make_durable"), .tell]) { rows in
        rows.indices.map {
          Stored(
            receipt: Receipt(position: rows.position($0), isRepeated: rows.integer($0, 3) != 0),
            markBefore: rows.integer($0, 4))
        }
      }
      var rest = all[...]
      for request in requests {
        let count = request.question.batch.count
        request.reply(.success(Array(rest.prefix(count))))
        rest = rest.dropFirst(count)
      }
    } catch {
      for request in requests { request.reply(.failure(error)) }
    }
  }
}

/// What a log wants to read, to be carried out with what others do.
struct LogRead: Sendable {
  typealias Asked = Request<LogRead, Result<PostgresPage?, any Error>>
  let log: String
  let known: Position?
  let news: PostgresNews

  static func perform(_ requests: [Asked], on session: PostgresSession) async {
    let requests = requests.filter(\.isAwaited)
    let reads = requests.map(\.question)
    guard !reads.isEmpty else { return }
    do {
      let pages = try await session.call([PostgresPage.call(for: reads)]) { rows in
        let lines = Dictionary(grouping: rows.indices) { Int(rows.integer($0, 5)) - 1 }
        return try reads.enumerated().map { place, read in
          try PostgresPage(rows, at: lines[place] ?? [], after: read.known, sharedBy: reads.count)
        }
      }
      for (request, page) in zip(requests, pages) { request.reply(.success(page)) }
    } catch {
      for request in requests { request.reply(.failure(error)) }
    }
  }
}

/// Of which entries the readers of open logs were told.
final class LogNews: Sendable {
  private typealias Values = [ObjectIdentifier: CurrentValue<Told>]
  private let open = Mutex<[String: Values]>([:])

  struct Told: Sendable {
    /// The newest.
    var news: PostgresNews?
    /// How often there was a reason to look at all entries.
    var looks = 0
    /// How often this machine has appended.
    var appends = 0

    mutating func add(_ more: PostgresNews) {
      if more.index > news?.index ?? 0 {
        news = more
      } else if more.index != news?.index || more.mark != news?.mark {
        // Two machines tell in another order than they append, or the log was set back, or has another epoch.
        looks += 1
      }
    }
  }

  /// What a handle follows.
  final class Following: Sendable {
    let told = CurrentValue(Told())
    /// What was appended here and not read yet.
    private let own = Mutex<[(entry: Logged<Data>, markBefore: Int64)]>([])
    private let caughtUp = Mutex<(position: Position?, looks: Int)?>(nil)
    private let log: String
    private let all: LogNews

    fileprivate init(_ log: String, in all: LogNews) {
      (self.log, self.all) = (log, all)
      all.open.withLock { $0[log, default: [:]][ObjectIdentifier(self)] = told }
    }

    deinit {
      all.open.withLock { open in
        open[log]?[ObjectIdentifier(self)] = nil
        if open[log]?.isEmpty == true { open[log] = nil }
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
      told.update { $0.appends += 1 }
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

    /// Whether the reader has all of which it was told, so that it waits to be told of more.
    func hasAll(of told: Told, upTo position: Position?) -> Bool {
      guard let caughtUp = caughtUp.withLock({ $0 }), caughtUp == (position, told.looks) else {
        return false
      }
      return told.news?.index ?? 0 <= position?.index ?? 0
    }

    /// Up to where to read: none if there is a reason to look at all.
    func limit(of told: Told) -> PostgresNews {
      let isLook = caughtUp.withLock { $0?.looks } != told.looks
      return isLook ? .unknown : told.news ?? .unknown
    }

    /// - Parameter told: As it was before the read that came to this position.
    func note(_ position: Position?, after told: Told) {
      caughtUp.withLock { $0 = (position, told.looks) }
    }
  }

  func follow(_ log: String) -> Following { Following(log, in: self) }

  /// Until the task is cancelled.
  func listen(on session: PostgresSession, every interval: Duration) async {
    var pause = Duration.milliseconds(50)
    while !Task.isCancelled {
      do {
        let texts = try await session.notifications(until: .now + interval)
        pause = .milliseconds(50)
        // On a new connection, there may have been others before.
        guard let texts else {
          lookAtAll()
          continue
        }
        for text in texts { tell(text) }
      } catch {
        try? await Task.sleep(for: pause)
        pause = min(pause * 2, .seconds(2))
      }
    }
  }

  /// - Parameter text: Index, mark and name, as the database writes them.
  private func tell(_ text: String) {
    let parts = text.split(separator: " ", maxSplits: 2)
    guard parts.count == 3, let index = Int64(parts[0]), let mark = Int64(parts[1]) else { return }
    let news = PostgresNews(index: index, mark: mark, count: 1)
    for value in values(of: String(parts[2])) { value.update { $0.add(news) } }
  }

  private func values(of log: String) -> [CurrentValue<Told>] {
    open.withLock { $0[log].map { Array($0.values) } ?? [] }
  }

  private func lookAtAll() {
    let all = open.withLock { $0.values.flatMap(\.values) }
    for value in all { value.update { $0.looks += 1 } }
  }
}
