/// The actor behind a channel: it owns the `AsyncStream` continuations of a crowd of sleepers, and rings
/// them in the order in which they fell asleep, away from the thread that sent.
///
/// Publishing and subscribing are synchronous and go to the log, from any thread; waking many takes
/// time, and is an actor's work. A doorbell, and with it its continuation, belongs to the
/// subscription while its consumer is awake, to the log's queue while it sleeps, and to who rings it
/// from when it is taken out of that queue. A sender rings the first sleepers itself, which is sooner, and
/// leaves the rest of a crowd to this actor. Until a thread of the pool is free to run it, later senders
/// and consumers that have woken ring what is due (`DueSleepers`).
@usableFromInline
actor Ringer {
  private var sleepers = Sleepers()

  /// Rings all that are due, and those that become due meanwhile.
  ///
  /// - Parameter takeNext: Returns the next that are due; nil if this is to stop. It is told whether those
  ///   before were rung.
  func ring(_ takeNext: @Sendable (_ hasRung: Bool) -> Sleepers?) {
    var hasRung = false
    while let next = takeNext(hasRung) {
      sleepers.append(next)
      sleepers.ringAll()
      hasRung = true
    }
  }
}
