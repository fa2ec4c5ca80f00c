import Synchronization

/// What a subscriber does that nobody but its consumer knows, told to those who follow its log.
extension LogCursor {
  /// What is known of a consumer that asks for more. Requires the log's lock.
  final func demand(finding result: PollResult) -> LogEvent {
    .demanded(
      Demand(
        subscriber: subscriber, isEmptyHanded: result == .nothing,
        progress: position.segment == nil ? untypedQueue?.departures : position.number))
  }

  /// The follower of several logs has taken note of an element of this one.
  final func noteTakenTogether() {
    if isObserved { tell(.taken(by: subscriber, slot: nil)) }
  }

  final func noteTaking(from slot: Int) {
    tell(.taken(by: subscriber, slot: slot < firstInLog ? nil : slot))
  }

  /// What a consumer does, apart from taking.
  ///
  /// Not inlined: an async caller would keep room for these variables while it sleeps.
  @inline(never)
  final func noteObserved(_ step: ConsumerStep) {
    switch step {
    case .cancelled: tell(.cancelled(subscriber))
    case .displaced: tell(.displaced(subscriber))
    case .takesByHand: tell(.takenByHand(subscriber))
    case .endsStep: tell(.stepEnded(subscriber))
    }
  }

  /// - Parameter event: Made with the log's lock held.
  final func tell(_ event: @autoclosure () -> LogEvent) {
    untypedLog.state.withLock { $0.tell(event()) }?()
  }
}
