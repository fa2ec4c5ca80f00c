import AsyncChannels
import Foundation
import SharedChannels
import Synchronization

/// Tells the readers of open logs when to read.
final class LogNews: Sendable {
  private let open = Mutex<[String: [ObjectIdentifier: WeakFollowing]]>([:])
  /// The connection that listens now; nil while there is none.
  private let listener = Mutex<PostgresListening?>(nil)
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

    /// - Parameter stored: What this handle has appended.
    func add(_ stored: some Sequence<(LogAppend.Stored, Keyed<Data>)>) {
      let isNext = own.withLock { own in
        // Nobody reads here otherwise, or has not begun to.
        var isNext = channel.withLock { $0 != nil }
        for (stored, element) in stored where isNext {
          // An earlier try has stored it, or another machine, of which nobody may have been told.
          if stored.receipt.isRepeated {
            isNext = false
          } else {
            let entry = Logged(
              position: stored.receipt.position, key: element.key, value: element.value)
            own.append((entry, stored.markBefore))
          }
        }
        let size = own.reduce(0) { $0 + $1.entry.value.count }
        // A reader that is so far behind reads from the database.
        if own.count > 500 || size > LogAppend.bytes { isNext = false }
        if !isNext { own = [] }
        return isNext
      }
      reasons.update { if isNext { $0.appends += 1 } else { $0.told += 1 } }
    }

    /// Reads from the database what was appended here.
    func forgetOwn() {
      own.withLock { $0 = [] }
      reasons.update { $0.told += 1 }
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

    /// - Parameter reasons: Those before the read that came to this position, or found nothing after it.
    func note(_ position: Position?, for reasons: Reasons) {
      caughtUp.withLock { $0 = (position, reasons.told) }
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
  var tell: PostgresCall {
    PostgresCall(PostgresCall.tell.name, .text(listener.withLock { $0?.channel } ?? ""))
  }

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

  /// Until the task is cancelled.
  func listen(on session: PostgresSession, every interval: Duration) async {
    var pause = Duration.milliseconds(50)
    var nextLook = ContinuousClock.now + interval
    while !Task.isCancelled {
      do {
        let news = try await session.notifications(until: nextLook)
        pause = .milliseconds(50)
        for log in Set(news.texts) { read(log) }
        if listener.withLock({ $0?.channel }) != news.channel {
          // There may have been others before.
          listener.withLock { $0 = news }
          readAll()
        }
      } catch {
        listener.withLock { $0 = nil }
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

  /// A reason to read for all handles of a log but the one that has appended alone.
  func read(_ log: String, except own: Following? = nil) {
    let all = open.withLock { $0[log].map { Array($0.values) } ?? [] }.compactMap(\.following)
    for following in all where following !== own {
      following.reasons.update { $0.told += 1 }
    }
  }

  private var all: [Following] {
    open.withLock { $0.values.flatMap(\.values) }.compactMap(\.following)
  }

  private func readAll() {
    for following in all { following.reasons.update { $0.told += 1 } }
  }
}
