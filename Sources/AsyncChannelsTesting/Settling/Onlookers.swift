import AsyncChannels
import Synchronization

/// The subscribers for which `waitUntilSettled()` does not wait: those of probes, since a test takes from them when it
/// likes.
enum Onlookers {
  /// Their numbers, by log. A log that is here lives: a probe has a subscription to it.
  private static let all = Locked<[ObjectIdentifier: Set<Int>]>([:])

  static func add(_ waiter: Waiter) {
    for case let cursor as LogCursor in waiter.parts where cursor.subscriber != 0 {
      let log = ObjectIdentifier(cursor.untypedLog)
      all.withLock { _ = $0[log, default: []].insert(cursor.subscriber) }
    }
  }

  /// To be called before it leaves.
  static func remove(_ waiter: Waiter) {
    for case let cursor as LogCursor in waiter.parts {
      let log = ObjectIdentifier(cursor.untypedLog)
      all.withLock { all in
        all[log]?.remove(cursor.subscriber)
        if all[log]?.isEmpty == true { all[log] = nil }
      }
    }
  }

  static func numbers(in log: BroadcastLogBase) -> Set<Int> {
    all.withLock { $0[ObjectIdentifier(log)] ?? [] }
  }
}
