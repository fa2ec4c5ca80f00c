/// The actor behind a channel: it owns the `AsyncStream` continuations of the sleepers that are
/// due, and rings them in the order in which they fell asleep, away from the thread that sent.
///
/// Publishing and subscribing are synchronous and go to the log, from any thread; waking many takes
/// time, and is an actor's work. A doorbell, and with it its continuation, belongs to the
/// subscription while its consumer is awake, to the log's queue while it sleeps, and to this actor
/// from when it is taken out of that queue until it is rung. One or two sleepers are rung by the
/// sender itself, which is sooner.
@usableFromInline
actor Waker {
  private var sleepers = Sleepers()

  /// Rings all that are due, and those that become due meanwhile. There is at most one such call at
  /// a time (see `LogState.actorIsRinging`).
  ///
  /// - Parameter takeDue: Returns all that are due; nil if there are none, and this is to stop.
  func ring(_ takeDue: @Sendable () -> Sleepers?) {
    while let due = takeDue() {
      sleepers.append(due)
      sleepers.ringAll()
    }
  }
}

/// Which sleepers to ring, once the log's lock is released. In one word, since each sender looks at it.
@usableFromInline
enum Wake: Sendable {
  case nobody
  /// This one, and those that it is linked to.
  case directly(Doorbell)
  case throughActor(Waker)
}
