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
      // Nobody reads here otherwise, or has not begun to.
      guard channel.withLock({ $0 != nil }) else { return reasons.update { $0.told += 1 } }
      let isKept = own.withLock { own in
        for (stored, element) in stored where !stored.receipt.isRepeated {
          let entry = Logged(
            position: stored.receipt.position, key: element.key, value: element.value)
          own.append((entry, stored.markBefore))
        }
        let size = own.reduce(0) { $0 + $1.entry.value.count }
        if own.count <= 500 && size <= LogAppend.bytes { return true }
        // A reader that is so far behind reads from the database.
        own = []
        return false
      }
      reasons.update { if isKept { $0.appends += 1 } else { $0.told += 1 } }
    }

    /// Reads from the database what was appended here.
    func forgetOwn() {
      own.withLock { $0 = [] }
      reasons.update { $0.told += 1 }
    }

    /// The entries that come next, if they were appended here. They are durable, and so are all before.
    func takeOwn(after known: Position?) -> [Logged<Data>]? {
      own.withLock { own in
        own.removeAll { $0.entry.position.index <= known?.index ?? 0 }
        // Of another epoch than the reader: it reads from the database.
        if own.contains(where: { $0.entry.position.epoch != known?.epoch }) {
          own = []
          caughtUp.withLock { $0 = nil }
        }
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
      if following.channel.withLock({ $0 != nil }) {
        left.withLock { _ = $0.insert(following.log) }
      }
    }
  }

  /// Tells the readers of other machines. If it fails, they look later.
  var tell: PostgresCall {
    PostgresCall(PostgresCall.tell.name, .text(listener.withLock { $0?.channel } ?? ""))
  }

  /// Makes the database tell of these logs, before they are read. Without a listener, they are read again when there is
  /// one.
  func register(_ logs: [Following], on session: PostgresSession) async throws {
    guard let listener = listener.withLock({ $0 }) else { return }
    let new = logs.filter { log in log.channel.withLock { $0 } != listener.channel }
    let gone = left.withLock { $0 }
    if new.isEmpty && gone.isEmpty { return }
    let follow = PostgresCall(
      "follow", .text(listener.channel), .integer(listener.process), .texts(new.map(\.log)),
      .texts(Array(gone)))
    try await session.call([follow]) { _ in }
    left.withLock { $0.subtract(gone) }
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
        readAll()
        try? await register([], on: session)
      }
    }
  }

  /// A reason to read for all handles of these logs but those that append.
  func read(_ log: String, except own: [Following] = []) {
    let all = open.withLock { $0[log].map { Array($0.values) } ?? [] }.compactMap(\.following)
    for following in all where !own.contains(where: { $0 === following }) {
      following.reasons.update { $0.told += 1 }
    }
  }

  private func readAll() {
    for log in open.withLock({ Array($0.keys) }) { read(log) }
  }
}
