import Synchronization

/// What a recording knows a subscriber by that has no queue. Not its cursor's address: asking for that would
/// keep the optimizer from finding out where a cursor goes, recorded or not.
@usableFromInline
final class SubscriberTag: Sendable {
  init() {}
}

extension LogCursor {
  /// How a recording tells this subscriber from others, and who records it.
  private var recorded: (subscriber: ObjectIdentifier, taps: [any LogTap]) {
    untypedLog.state.withLock { state in
      if let untypedQueue { return (ObjectIdentifier(untypedQueue), state.taps) }
      // It may have subscribed before the recording began.
      let tag = tag ?? SubscriberTag()
      self.tag = tag
      return (ObjectIdentifier(tag), state.taps)
    }
  }

  private var subscriber: ObjectIdentifier { recorded.subscriber }

  final func noteLeaving() {
    note { .left($0) }
    Causes.forget(subscriber)
  }

  final func noteTaking(from slot: Int) {
    let (subscriber, taps) = recorded
    let step =
      slot < firstInLog ? LogStep.popped(subscriber) : LogStep.taken(subscriber, slot: slot)
    let origins = taps.compactMap { tap in
      tap.note(step).map { Origin(tap: tap, element: $0) }
    }
    Causes.took(origins, from: subscriber)
  }

  /// With the log's lock held.
  final func notePopping(from queue: SubscriberQueueBase, in state: LogState) -> [Origin] {
    state.taps.compactMap { tap in
      tap.note(.popped(ObjectIdentifier(queue))).map { Origin(tap: tap, element: $0) }
    }
  }

  /// What a consumer does, apart from taking.
  ///
  /// Not inlined: an async caller would keep room for these variables while it sleeps.
  @inline(never)
  final func noteRecorded(_ step: ConsumerStep) {
    switch step {
    case .asks: break
    case .cancelled: note { .cancelled($0) }
    case .displaced: note { .displaced($0) }
    case .takesByHand:
      note { .handedOver($0) }
      // What an owner takes from its input by hand is a cause. What a script takes from an output is none:
      // what it sends next is no effect of that.
      if untypedLog.taps.allSatisfy(\.isInput) { return }
    }
    Causes.forget(subscriber)
  }

  private func note(_ step: (ObjectIdentifier) -> LogStep) {
    let (subscriber, taps) = recorded
    for tap in taps { tap.note(step(subscriber)) }
  }
}
