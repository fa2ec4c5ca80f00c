import AsyncChannels
import Synchronization

/// Knows how deep the elements of a log are. See `LoopWatch`.
final class WatchedLog: LogObserver {
  /// From this slot on, elements have this depth.
  private struct Stretch {
    let slot: Int
    let steps: Int
    let time: Int
  }

  private weak let log: BroadcastLogBase?
  private let watch: LoopWatch
  /// In the order of their slots; those of old slots are forgotten.
  private let stretches = Locked<[Stretch]>([])
  /// How many elements have been sent to subscribers, if none of these has ever asked for one.
  private let unasked = Locked<Int?>(0)

  init(_ log: BroadcastLogBase, by watch: LoopWatch) {
    (self.log, self.watch) = (log, watch)
  }

  var followed: BroadcastLogBase? { log }

  /// For a report of a test that waits: what nobody receives.
  var neglect: String? {
    guard let log, let count = unasked.withLock({ $0 }), count > 0 else { return nil }
    return """
      \(count == 1 ? "1 element was" : "\(count) elements were") sent to a Channel\(log.genericName) whose subscriber has \
      never asked for one. If this is an input, does its owner's run() run?
      """
  }

  func detach() { log?.detach(self) }

  var followsElements: Bool { true }

  func note(_ event: LogEvent) -> AfterLock? {
    switch event {
    case .sent(let element):
      if element.subscriberCount > 0 { unasked.withLock { $0? += 1 } }
      let (steps, time) = watch.noteSent(in: self)
      stretches.withLock { stretches in
        let slot = element.slot ?? stretches.last?.slot ?? 0
        if let last = stretches.last, last.steps == steps, last.time == time { return }
        stretches.append(Stretch(slot: slot, steps: steps, time: time))
        if stretches.count > 4_096 { stretches.removeFirst(2_048) }
      }
    case .demanded: unasked.withLock { $0 = nil }
    case .taken(_, let slot):
      unasked.withLock { $0 = nil }
      let found = stretches.withLock { stretches in
        guard let slot else { return stretches.last }
        return stretches.last { $0.slot <= slot }
      }
      watch.noteTaken(found?.steps ?? 0, at: found?.time ?? 0)
    case .takenByHand: watch.noteTakenByHand(from: self)
    default: break
    }
    return nil
  }
}
