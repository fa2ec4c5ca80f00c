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

  private struct State {
    /// In the order of their slots; those of old slots are forgotten.
    var stretches: [Stretch] = []
    /// How many elements have been sent to subscribers; nil once one of these has asked for one.
    var neglected: Int? = 0
  }

  private weak let log: BroadcastLogBase?
  private let watch: LoopWatch
  private let state = Locked(State())

  init(_ log: BroadcastLogBase, by watch: LoopWatch) {
    (self.log, self.watch) = (log, watch)
  }

  var followed: BroadcastLogBase? { log }

  /// A sentence for the report of a test that waits, if nobody receives what was sent.
  var neglect: String? {
    guard let log, let count = state.withLock({ $0.neglected }), count > 0 else { return nil }
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
      let (steps, time) = watch.noteSent(in: self)
      state.withLock { state in
        if element.subscriberCount > 0 { state.neglected? += 1 }
        let last = state.stretches.last
        if let last, last.steps == steps, last.time == time { return }
        state.stretches.append(
          Stretch(slot: element.slot ?? last?.slot ?? 0, steps: steps, time: time))
        if state.stretches.count > 4_096 { state.stretches.removeFirst(2_048) }
      }
    case .demanded: state.withLock { $0.neglected = nil }
    case .taken(_, let slot):
      let found = state.withLock { state in
        state.neglected = nil
        guard let slot else { return state.stretches.last }
        return state.stretches.last { $0.slot <= slot }
      }
      watch.noteTaken(found?.steps ?? 0, at: found?.time ?? 0)
    case .takenByHand: watch.noteTakenByHand(from: self)
    default: break
    }
    return nil
  }
}
