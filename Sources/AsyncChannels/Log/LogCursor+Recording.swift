extension LogCursor {
  /// How a recording tells this subscriber from others.
  private var subscriber: ObjectIdentifier {
    untypedQueue.map { ObjectIdentifier($0) } ?? ObjectIdentifier(self)
  }

  /// One that has a queue was noted with the log's lock held, before it was filled.
  final func noteSubscribing() {
    guard untypedQueue == nil, position != nil else { return }
    note { .subscribed($0, .unbounded, replays: false, kept: nil) }
  }

  final func noteLeaving() {
    note { .left($0) }
    Causes.forget(subscriber)
  }

  final func noteTaking(from slot: Int) {
    let subscriber = subscriber
    let origins = untypedLog.taps.compactMap { tap in
      tap.note(.taken(subscriber, slot: slot)).map { Origin(tap: tap, element: $0) }
    }
    Causes.took(origins, from: subscriber)
  }

  final func noteTaken(_ origins: [Origin]) {
    Causes.took(origins, from: subscriber)
  }

  /// With the log's lock held.
  final func notePopping(from queue: SubscriberQueueBase, in state: LogState) -> [Origin] {
    return state.taps.compactMap { tap in
      tap.note(.popped(ObjectIdentifier(queue))).map { Origin(tap: tap, element: $0) }
    }
  }

  /// What a consumer does, apart from taking.
  ///
  /// Not inlined: an async caller would keep room for these variables while it sleeps.
  @inline(never)
  final func noteRecorded(_ step: ConsumerStep) {
    switch step {
    case .asks: Causes.forget(subscriber)
    case .cancelled:
      Causes.forget(subscriber)
      note { .cancelled($0) }
    case .displaced:
      Causes.forget(subscriber)
      note { .displaced($0) }
    case .takesByHand:
      // A script that waits for an output and then sends the next input: no effect of that output.
      note { .handedOver($0) }
      if !untypedLog.taps.allSatisfy(\.isInput) { Causes.forget(subscriber) }
    }
  }

  private func note(_ step: (ObjectIdentifier) -> LogStep) {
    for tap in untypedLog.taps { tap.note(step(subscriber)) }
  }
}

extension Cursor {
  /// Takes one known element, and only that: so the next one is noted, too. Requires the lease.
  @usableFromInline
  func takeRecorded() -> Element? {
    guard let slot = position?.takeOnly(), let element = position?.takeKnown(Element.self)
    else { return nil }
    noteTaking(from: slot)
    return element
  }
}
