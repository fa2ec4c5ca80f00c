import AsyncChannels
import Foundation
import SharedChannels
import Synchronization

/// Tells the readers of open logs when to read.
final class LogNews: Sendable {
  private let open = Mutex<[String: [ObjectIdentifier: WeakFollowing]]>([:])
  /// The connection that listens now; nil while there is none.
  private let listener = Mutex<PostgresListening?>(nil)
  /// Why nothing is told at present; nil before it was tried, and while the connection listens.
  private let failureToListen = Mutex<(any Error)?>(nil)
  /// Logs that are not open any more, which the database does not know yet.
  private let left = Mutex<Set<String>>([])

  private struct WeakFollowing: Sendable {
    weak let following: Following?
  }

  /// What a handle follows.
  final class Following: Sendable {
    /// Changes when there may be entries, after ``knowledge`` has. Nobody reads its value.
    let changes = CurrentValue(0)
    /// What was appended here and not read yet.
    private let own = Mutex<[(entry: Logged<Data>, markBefore: Int64)]>([])
    private let knowledge = Mutex(LogKnowledge())
    /// The channel on which the database tells of the log.
    fileprivate let channel = Mutex<String?>(nil)
    let log: String
    private let all: LogNews

    fileprivate init(_ log: String, in all: LogNews) {
      (self.log, self.all) = (log, all)
    }

    deinit {
      all.remove(self)
    }

    /// What is known for a read that begins now.
    var moment: LogKnowledge.Moment { knowledge.withLock(\.moment) }

    /// A reason to read up to this entry at least; nil if it may be any.
    func read(upTo durable: DurableEntry?) {
      knowledge.withLock { $0.tell(durable) }
      changes.update { $0 += 1 }
    }

    /// The log's end, of which nobody may have told.
    func read(upToEnd end: Position) {
      if knowledge.withLock({ $0.tell(ofEnd: end) }) { changes.update { $0 += 1 } }
    }

    /// - Parameter stored: What this handle has appended.
    func add(_ stored: some Sequence<(LogAppend.Stored, Keyed<Data>)>) {
      let newest = DurableEntry(newestOf: stored.map(\.0.receipt))
      let isNext = own.withLock { own in
        // Nobody reads here otherwise, or has not begun to.
        var isNext = channel.withLock { $0 != nil }
        // Before somebody can take them: a read that begins then has to come as far.
        if let newest { knowledge.withLock { $0.learn(newest) } } else { isNext = false }
        for (stored, element) in stored where isNext {
          let entry = Logged(
            position: stored.receipt.position, key: element.key, value: element.value)
          own.append((entry, stored.markBefore))
        }
        let size = own.reduce(0) { $0 + $1.entry.value.count }
        // A reader that is so far behind reads from the database.
        if own.count > 500 || size > LogAppend.bytes { isNext = false }
        if !isNext { own = [] }
        return isNext
      }
      guard isNext else { return read(upTo: newest) }
      changes.update { $0 += 1 }
    }

    /// Reads from the database what was appended here.
    func forgetOwn() {
      own.withLock { $0 = [] }
      read(upTo: nil)
    }

    /// The entries that come next, if they were appended here. They are durable, and so are all before.
    func takeOwn(after known: Position?) -> [Logged<Data>]? {
      own.withLock { own in
        // What the reader has, or what is of another epoch, or of a log that was set back: it reads from the database.
        let count = own.count
        own.removeAll { entry, _ in
          entry.position.epoch != known?.epoch || entry.position.index <= known?.index ?? 0
        }
        if own.count < count { knowledge.withLock { $0.forgetReader() } }
        var (last, taken) = (known, [Logged<Data>]())
        for (entry, markBefore) in own {
          // Else others have appended in between, or the log was set back.
          guard let position = last, position.index + 1 == entry.position.index,
            position.mark == markBefore
          else { break }
          taken.append(entry)
          last = entry.position
        }
        own.removeFirst(taken.count)
        guard let last, !taken.isEmpty else { return nil }
        knowledge.withLock { $0.take(after: known, upTo: last) }
        return taken
      }
    }

    /// Whether the reader at this position waits until something changes. Not before the database tells of the log.
    func hasAll(upTo position: Position?) -> Bool {
      guard let channel = channel.withLock({ $0 }),
        channel == all.listener.withLock({ $0?.channel }),
        // What was appended here comes next.
        own.withLock(\.isEmpty)
      else { return false }
      return knowledge.withLock { $0.hasAll(upTo: position) }
    }

    /// A read has found all that there was.
    ///
    /// - Parameter position: The reader's when it has that.
    func note(_ position: Position?, asOf moment: LogKnowledge.Moment) {
      knowledge.withLock { $0.note(position, asOf: moment) }
    }
  }

  func follow(_ log: String) -> Following {
    let following = Following(log, in: self)
    open.withLock {
      $0[log, default: [:]][ObjectIdentifier(following)] = WeakFollowing(following: following)
    }
    return following
  }

  private func remove(_ following: Following) {
    open.withLock { open in
      open[following.log]?[ObjectIdentifier(following)] = nil
      guard open[following.log]?.isEmpty == true else { return }
      open[following.log] = nil
      left.withLock { _ = $0.insert(following.log) }
    }
  }

  /// Tells the readers of other machines. If it fails, they look later.
  var tell: PostgresCall { .tell(from: listener.withLock { $0?.channel } ?? "") }

  /// Makes the database tell of these logs, before they are read. Without a listener, they are read again when there is
  /// one. Only one call may run at a time.
  func register(_ logs: [Following], on session: PostgresSession) async throws {
    guard let listener = listener.withLock({ $0 }) else { return }
    let new = logs.filter { log in log.channel.withLock { $0 } != listener.channel }
    let gone = left.withLock { left in
      defer { left = [] }
      return left
    }
    if new.isEmpty && gone.isEmpty { return }
    let follow = PostgresCall(
      "follow", .text(listener.channel), .integer(listener.process), .texts(new.map(\.log)),
      .texts(Array(gone)))
    do {
      try await session.call([follow]) { _ in }
    } catch {
      left.withLock { $0.formUnion(gone) }
      throw error
    }
    for log in new { log.channel.withLock { $0 = listener.channel } }
  }

  /// - Throws: Why nothing would tell a reader that waits.
  func requireListener() throws {
    if let failure = failureToListen.withLock({ $0 }) { throw failure }
  }

  /// Until the task is cancelled.
  func listen(on session: PostgresSession, every interval: Duration) async {
    var pause = Duration.milliseconds(50)
    var nextLook = ContinuousClock.now + interval
    while !Task.isCancelled {
      do {
        let news = try await session.notifications(until: nextLook)
        pause = .milliseconds(50)
        for (log, entry) in DurableEntry.told(by: news.texts) { read(log, upTo: entry) }
        if listener.withLock({ $0?.channel }) != news.channel {
          // There may have been others before.
          listener.withLock { $0 = news }
          failureToListen.withLock { $0 = nil }
          readAll()
        }
      } catch {
        listener.withLock { $0 = nil }
        // Those that wait learn that nothing will be told.
        let isFirst = failureToListen.withLock { failure in
          defer { failure = error }
          return failure == nil
        }
        if isFirst { readAll() }
        try? await Task.sleep(for: pause)
        pause = min(pause * 2, .seconds(2))
      }
      if ContinuousClock.now >= nextLook {
        nextLook = .now + interval
        // Somebody may have emptied the table of followers, too.
        for following in all { following.channel.withLock { $0 = nil } }
        readAll()
      }
    }
  }

  /// A reason to read, up to an entry if it is known, for all handles of a log but the one that has appended alone.
  func read(_ log: String, upTo durable: DurableEntry? = nil, except own: Following? = nil) {
    let all = open.withLock { $0[log].map { Array($0.values) } ?? [] }.compactMap(\.following)
    for following in all where following !== own { following.read(upTo: durable) }
  }

  private var all: [Following] {
    open.withLock { $0.values.flatMap(\.values) }.compactMap(\.following)
  }

  private func readAll() {
    for following in all { following.read(upTo: nil) }
  }
}
