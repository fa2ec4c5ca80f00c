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

  /// Reasons to look for entries.
  struct Reasons: Sendable {
    /// How often the database may have some that were not appended here.
    var told = 0
    /// How often some were appended here.
    var appends = 0
  }

  /// What a handle follows.
  final class Following: Sendable {
    let reasons = CurrentValue(Reasons())
    /// What was appended here and not read yet.
    private let own = Mutex<[(entry: Logged<Data>, markBefore: Int64)]>([])
    private let knowledge = Mutex(Knowledge())
    /// Where the reader is if it has all of the database that it was told of, and how often it was told before it read
    /// that.
    private let caughtUp = Mutex<(position: Position?, told: Int)?>(nil)
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

    /// What is known of the log, for a read that begins now.
    var known: Known {
      // First: what is told after this is read later.
      let told = reasons.value.told
      return knowledge.withLock {
        Known(durable: $0.isComplete ? $0.durable : nil, unknowns: $0.unknowns, told: told)
      }
    }

    /// A reason to read up to this entry at least; nil if it may be any.
    func read(upTo durable: DurableEntry?) {
      knowledge.withLock { $0.learn(durable) }
      reasons.update { $0.told += 1 }
    }

    /// - Parameter stored: What this handle has appended.
    func add(_ stored: some Sequence<(LogAppend.Stored, Keyed<Data>)>) {
      let newest = DurableEntry(newestOf: stored.map(\.0.receipt))
      let isNext = own.withLock { own in
        // Nobody reads here otherwise, or has not begun to.
        var isNext = channel.withLock { $0 != nil }
        if newest == nil { isNext = false }
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
      knowledge.withLock { $0.learn(newest) }
      reasons.update { $0.appends += 1 }
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
        if own.count < count { caughtUp.withLock { $0 = nil } }
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
        // Others may have appended behind it, so it has still to read all of which it was told since.
        if let last, !taken.isEmpty { caughtUp.withLock { $0?.position = last } }
        return taken.isEmpty ? nil : taken
      }
    }

    /// Whether the reader at this position waits for a further reason. Not before the database tells of the log.
    func hasAll(upTo position: Position?, for reasons: Reasons) -> Bool {
      guard let channel = channel.withLock({ $0 }),
        channel == all.listener.withLock({ $0?.channel }),
        // What was appended here comes next.
        own.withLock(\.isEmpty), let caughtUp = caughtUp.withLock({ $0 })
      else { return false }
      return caughtUp == (position, reasons.told)
    }

    /// - Parameters:
    ///   - position: That of the reader when it has what a read has found.
    ///   - known: What was known when the read began.
    func note(_ position: Position?, asOf known: Known) {
      knowledge.withLock { $0.complete(position, unknowns: known.unknowns) }
      caughtUp.withLock { $0 = (position, known.told) }
    }
  }

  /// What is known for a read.
  struct Known {
    let durable: DurableEntry?
    fileprivate let unknowns: Int
    fileprivate let told: Int
  }

  /// Up to where a log is durable. What was told, and what an append has stored, and what a read has found that has waited
  /// for the disk.
  private struct Knowledge {
    private(set) var durable: DurableEntry?
    /// How often there was a reason to read all, whatever is known.
    private(set) var unknowns = 1
    private var completed = 0
    /// Whether nothing is behind what was told.
    var isComplete: Bool { completed == unknowns }

    mutating func learn(_ entry: DurableEntry?) {
      guard let entry else {
        // The log may have been set back to before what was known.
        (durable, unknowns) = (nil, unknowns + 1)
        return
      }
      if entry.index > durable?.index ?? 0 { durable = entry }
    }

    /// A read has found all, up to a position.
    mutating func complete(_ position: Position?, unknowns: Int) {
      if let position, position.index > 0, completed < unknowns {
        learn(DurableEntry(position))
      }
      completed = max(completed, unknowns)
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
        for text in news.texts {
          let (log, entry) = DurableEntry.told(by: text)
          read(log, upTo: entry)
        }
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
