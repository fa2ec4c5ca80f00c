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

  init(_ log: BroadcastLogBase, by watch: LoopWatch) {
    (self.log, self.watch) = (log, watch)
  }

  var followed: BroadcastLogBase? { log }

  func detach() { log?.detach(self) }

  var followsElements: Bool { true }

  func note(_ event: LogEvent) -> AfterLock? {
    switch event {
    case .sent(let element):
      let (steps, time) = watch.noteSent(in: self)
      stretches.withLock { stretches in
        let slot = element.slot ?? stretches.last?.slot ?? 0
        if let last = stretches.last, last.steps == steps, last.time == time { return }
        stretches.append(Stretch(slot: slot, steps: steps, time: time))
        if stretches.count > 4_096 { stretches.removeFirst(2_048) }
      }
    case .taken(_, let slot):
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
