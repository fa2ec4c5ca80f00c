/// The actor behind a channel: it owns the `AsyncStream` continuations of a crowd of sleepers, and rings
/// them in the order in which they fell asleep, away from the thread that sent.
///
/// Publishing and subscribing are synchronous and go to the log, from any thread; waking many takes
/// time, and is an actor's work. A doorbell, and with it its continuation, belongs to the
/// subscription while its consumer is awake, to the log's queue while it sleeps, and to the sender or to this
/// actor from when it is taken out of that queue. A sender rings the first sleepers itself, which is sooner, and
/// leaves the rest of a crowd to this actor.
@usableFromInline
actor Ringer {
  /// Rings all that are due, and those that become due meanwhile.
  ///
  /// - Parameter takeDue: Returns those that are due; nil if there are none, and this is to stop.
  func ring(_ takeDue: @Sendable () -> Sleepers?) {
    while let sleepers = takeDue() { sleepers.first?.ringAll() }
  }
}
