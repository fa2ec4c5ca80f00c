/// Something that one consumer at a time takes elements from, without its elements: the lease, and
/// sleeping while there is nothing to take. How to look is left to subclasses.
///
/// **Hand-over.** The newest iterator that has asked is the consumer (see `Lease`). If it asks
/// while an older one sleeps, it takes that one's doorbell out of the wait queue, drops it and
/// rings it. The older one wakes, finds that it has lost its place, and its `next()` returns `nil`.
/// The same holds if one iterator is asked again, and has to wait, before its last call has
/// returned. The tickets are equal then, but the earlier call wakes and finds that its doorbell is
/// no longer the one in use.
///
/// The lease is never held over a suspension. Looking, joining the queue and falling asleep are one
/// synchronous function; a consumer that wakes takes the lease anew.
///
/// **Cancellation.** Wherever this finds an element, it looks first and asks then whether the task is
/// cancelled. A sender that sends after `cancel()` has returned publishes the cancellation with the
/// element, so a consumer that sees the element sees the cancellation, too. So an element that was
/// seen here may be taken without asking again.
///
/// `@unchecked Sendable`: the variables are touched only by the consumer that has the lease, and by
/// `deinit`, when there is no consumer.
@usableFromInline
class Waiter: @unchecked Sendable {
  @usableFromInline final let lease = Lease()
  /// Made at the first sleep, and again when one was cancelled or displaced.
  private final var bell: Doorbell?
  /// Whether a consumer sleeps on `bell`: from joining the queue until it has the lease again, or
  /// another has taken its place.
  private final var isAsleep = false
  /// `exclusivity(unchecked)`: the lease excludes already.
  @exclusivity(unchecked) private final var lingering = Lingering()

  /// For reports: the type of the elements that its consumers listen to.
  var elementType: Any.Type { Never.self }

  /// How many elements the buffering policy has dropped.
  var droppedCount: Int { 0 }

  /// How many elements could be taken now, as `countPending` counts them.
  @usableFromInline
  final var pendingCount: Int {
    let ticket = lease.borrow()
    defer { lease.release(ticket) }
    return countPending()
  }

  /// How many elements have not been taken. Requires the lease.
  func countPending() -> Int { 0 }

  /// Looks whether there is an element to take. If there is none and a doorbell is given, the doorbell
  /// joins the wait queue, in one step with respect to a sender that adds an element. Requires the lease.
  ///
  /// - Parameters:
  ///   - asks: Whether the consumer asks for more, having worked on all that it took (see `Attendance`).
  ///     To `peek` is to ask.
  ///   - bell: Nil if the consumer will not sleep. One that will asks for more.
  func look(asks: Bool, orJoinWith bell: Doorbell?) -> Look { .finished }

  /// Looks whether there is an element, without the log's lock. False also if that cannot be told.
  /// Requires the lease.
  func peek() -> Bool { false }

  /// Takes a doorbell out of the queue, if it is still there. Requires the lease.
  func leaveQueue(_ bell: Doorbell) {}

  /// To be called when a consumer that slept is awake, rung or cancelled, and still in its place. Looks,
  /// before it is asked whether the task is cancelled. Requires the lease.
  func wake() { _ = peek() }

  /// Tells a recording, if there is one.
  func note(_ step: ConsumerStep) {}

  /// What was recorded so far of what its consumers listen to; nil if nobody records that.
  func flow() -> String? { nil }

  /// Watchers, one for each log: each waits for what comes from now on and takes nothing.
  func makeWatchers() -> [Waiter] { [] }

  /// Waits until there may be an element to take. False at the end, if the task is cancelled, or if a
  /// newer consumer has asked. What it has seen, `Cursor.takeSeen` takes.
  final func waitForElement(as ticket: UInt64, isolation: isolated (any Actor)?) async -> Bool {
    if Task.isCancelled {
      note(.cancelled)
      return false
    }
    note(.asks)
    let (look, bell) = lookOrFallAsleep(as: ticket, isolation: isolation)
    guard let bell else { return look == .readable }
    await bell.wait(isolation: isolation)
    return wakeUp(from: bell, as: ticket)
  }

  /// Looks without waiting and without asking for more, for a consumer whose take found nothing.
  final func look(as ticket: UInt64) -> Look {
    guard lease.acquire(ticket) else { return .displaced }
    let displaced = displaceSleeper()
    let look = look(asks: false, orJoinWith: nil)
    lease.release(ticket)
    displaced?.ring()
    return look
  }

  /// Returns the doorbell if there is nothing and the consumer sleeps.
  ///
  /// Not inlined: an async caller would keep room for these variables while it sleeps.
  @inline(never)
  private final func lookOrFallAsleep(
    as ticket: UInt64, isolation: (any Actor)?
  ) -> (Look, Doorbell?) {
    guard lease.acquire(ticket) else {
      reportDisplacement()
      return (.displaced, nil)
    }
    let displaced = displaceSleeper()
    let look = lookOrFallAsleep(isolation)
    let bell = isAsleep ? bell : nil
    lease.release(ticket)
    displaced?.ring()
    return (look == .readable && Task.isCancelled ? .finished : look, bell)
  }

  /// Requires the lease.
  private final func lookOrFallAsleep(_ isolation: (any Actor)?) -> Look {
    if let bell {
      if bell.mayLinger, lingering.sees(isolation, self.peek) { return .readable }
      return sleep(on: bell)
    }
    // A consumer that never has to wait makes no doorbell.
    let look = look(asks: true, orJoinWith: nil)
    if look != .nothing { return look }
    let bell = Doorbell(for: self)
    self.bell = bell
    return sleep(on: bell)
  }

  /// Unless there is something. Requires the lease.
  @inline(__always)
  private final func sleep(on bell: Doorbell) -> Look {
    let look = look(asks: true, orJoinWith: bell)
    isAsleep = look == .nothing
    return look
  }

  /// Takes the place of a consumer that sleeps, and returns what to ring when the lease is given
  /// back. Requires the lease.
  private final func displaceSleeper() -> Doorbell? {
    isAsleep ? dropBell() : nil
  }

  /// Requires the lease.
  private final func dropBell() -> Doorbell? {
    if let bell { leaveQueue(bell) }
    isAsleep = false
    return bell.take()
  }

  /// After the wait: the consumer was rung, cancelled or displaced. True if it should look again.
  ///
  /// The doorbell's stream ends only if the task was cancelled while it waited, and that is seen
  /// here: the runtime sets the task's flag before it calls the stream's handler, and the wait ends
  /// after the handler was removed.
  @inline(never)
  private final func wakeUp(from bell: Doorbell, as ticket: UInt64) -> Bool {
    guard lease.acquire(ticket) else {
      reportDisplacement()
      return false
    }
    let isDisplaced = bell !== self.bell
    if !isDisplaced { wake() }
    let isCancelled = Task.isCancelled
    if !isDisplaced {
      isAsleep = false
      if isCancelled { _ = dropBell() }
    }
    lease.release(ticket)
    if isDisplaced { reportDisplacement() } else if isCancelled { note(.cancelled) }
    return !isDisplaced && !isCancelled
  }

  /// Two listeners on one subscription are legal, but seldom intended: this is reported once.
  private final func reportDisplacement() {
    note(.displaced)
    #if DEBUG
      if Task.isCancelled { return }
      Diagnostics.reportOnce(
        """
        A consumer of a subscription to \(elementType) was displaced by a newer one, and its loop \
        ended. A subscription has one consumer: for two listeners, subscribe once for each.
        """)
    #endif
  }
}

/// What a consumer does with its subscription, apart from taking what is there.
enum ConsumerStep: Sendable {
  case asks, cancelled, displaced
  /// With `Subscription.next()`: a script rather than a loop.
  case takesByHand
}

/// What a consumer finds when it looks for elements.
enum Look: Sendable {
  case readable, finished, nothing
  /// A newer consumer has asked, so that there is nothing any more for this one.
  case displaced
}
