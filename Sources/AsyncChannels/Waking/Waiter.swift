public import Synchronization

/// Something that one consumer at a time takes elements from, without its elements: who the consumer is,
/// and sleeping while there is nothing to take. How to look is left to subclasses.
///
/// **Hand-over.** An iterator has an *epoch*, a number that is given out in ascending order. The newest
/// that has asked for an element is the consumer. If it asks while an older one sleeps, it takes that
/// one's doorbell out of the wait queue, drops it and rings it. The older one wakes, finds a newer
/// epoch, and its `next()` returns `nil`, however often it asks again. The same holds if one iterator is
/// asked again, and has to wait, before its last call has returned. The epochs are equal then, but the
/// earlier call wakes and finds that its doorbell is no longer the one in use.
///
/// **The lock.** What is asked, looked for, joined and left is one step under the cursor's lock. Elements
/// that are known to be there are taken without it. The lock is never held over a
/// suspension, while code of a user runs, or while a consumer spins. The only iterator of a cursor
/// (`onlyEpoch`) needs no lock: it is not `Sendable`, so its calls and those of its copies come from one
/// isolation, or from one after another that it was sent to, and do not overlap.
///
/// **Actors are shared.** A consumer that always finds an element comes here every 64 elements, and on an
/// actor it lets others run when it has come 64 times or for a millisecond, and has not slept (`LoopBudget`).
/// In a test that owns the time all share one thread, so there it does so without an actor, too.
///
/// **Cancellation.** Wherever this finds an element, it looks first and asks then whether the task is
/// cancelled. A sender that sends after `cancel()` has returned publishes the cancellation with the
/// element, so a consumer that sees the element sees the cancellation, too. So an element that was
/// seen here may be taken without asking again.
///
/// `@unchecked Sendable`: the variables are touched only with the lock held, by the only iterator, and by
/// `deinit`, when there is no consumer.
@usableFromInline
package class Waiter: @unchecked Sendable {
  /// The epoch of an iterator that shares its cursor with no other.
  @inlinable package static var onlyEpoch: UInt64 { .max }

  private final let lastEpoch = Atomic<UInt64>(0)
  @usableFromInline final let lock = Locked(())
  /// Whose takes find what is known to be there, without a look at who has asked; zero for nobody.
  @exclusivity(unchecked) @usableFromInline final var admitted: UInt64 = 0
  @exclusivity(unchecked) private final var consumer = CurrentConsumer()
  @exclusivity(unchecked) private final var spin = AdaptiveSpin()
  @exclusivity(unchecked) private final var budget = LoopBudget()
  /// What cancelled consumers are about to report. A newer one begins after that.
  @exclusivity(unchecked) private final var reports: [Task<Void, Never>] = []
  @usableFromInline final let soleUse = SoleUse()

  /// For reports: the type of the elements that its consumers listen to.
  @usableFromInline
  var elementType: Any.Type { Never.self }

  /// The number of its consumers among a log's subscribers; zero if they are none, or those of several logs.
  package final let subscriber: Int

  init(subscriber: Int) {
    self.subscriber = subscriber
  }

  /// How many elements the buffering policy has dropped.
  package var droppedCount: Int { 0 }

  /// How many elements have come and have not been taken. Requires no lock, and takes the log's.
  @usableFromInline
  package var pendingCount: Int { 0 }

  /// Whether what is there may be dropped, and replaced, before it is taken.
  package var replacesOld: Bool { false }

  /// Whether several elements may be taken as one.
  package var takesSeveralAsOne: Bool { false }

  /// Looks whether there is an element to take. If there is none and a doorbell is given, the doorbell
  /// joins the wait queue, in one step with respect to a sender that adds an element. Requires the lock.
  ///
  /// - Parameters:
  ///   - demands: Whether the consumer asks for more, having worked on all that it took.
  ///   - bell: Nil if the consumer will not sleep. One that will asks for more.
  func poll(demands: Bool, orJoinWith bell: Doorbell?) -> PollResult { .finished }

  /// What it waits for, if it may spin. Requires the lock.
  var next: Int? { nil }

  /// Whether that is there. Requires no lock.
  func isThere(_ next: Int) -> Bool { false }

  /// Whether the consumer would find something, without asking for more. False for any other.
  package final func isReadable(as epoch: UInt64) -> Bool {
    withPlace(of: epoch) { poll(demands: false, orJoinWith: nil) } == .readable
  }

  /// Takes a doorbell out of the queue, unless somebody else has, who rings it. Requires the lock.
  func leaveQueue(_ bell: Doorbell) {}

  /// To be called when a consumer that slept is awake, rung or cancelled, and still in its place. Looks,
  /// before it is asked whether the task is cancelled. Requires the lock.
  func wake() {}

  /// Tells those who follow what it takes from.
  package func note(_ step: ConsumerStep) {}

  /// Its subscriptions to single logs.
  package var parts: [Waiter] { [self] }

  /// Acquires and releases, so that what the maker of an older epoch has seen, the maker of a
  /// newer one sees. So a cancelled task that does not see its cancellation yet has an older epoch
  /// than any consumer that began after `cancel()` returned, and cannot displace it.
  @usableFromInline
  package final func makeEpoch() -> UInt64 {
    lastEpoch.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue
  }

  /// To be called when a consumer is cancelled: this task reports what it leaves behind.
  package final func willReport(in task: Task<Void, Never>) {
    lock.withLock { _ in reports.append(task) }
  }

  /// Waits until what cancelled consumers had to report was reported.
  package final func untilReported() async {
    while let report = lock.withLock({ _ in reports.first }) {
      await report.value
      lock.withLock { _ in reports.removeAll { $0 == report } }
    }
  }

  /// Waits until there may be an element to take. False at the end, if the task is cancelled, or if a
  /// newer consumer has asked. What it has seen, `Cursor.takeSeen` takes.
  package final func waitForElement(
    as epoch: UInt64, isolation: isolated (any Actor)?
  ) async -> Bool {
    if isOthersTurn(as: epoch, isolation: isolation) { await Task.yield() }
    if Task.isCancelled {
      note(.cancelled)
      return false
    }
    let (isReadable, bell) = lookOrFallAsleep(as: epoch, isolation: isolation)
    guard let bell else { return isReadable }
    await bell.wait(isolation: isolation)
    return wakeUp(from: bell, as: epoch)
  }

  /// Whether others are to run before the consumer looks for more. To be asked by one that may find element after
  /// element, at least every 64 of them.
  final func isOthersTurn(as epoch: UInt64, isolation: (any Actor)?) -> Bool {
    guard isolation != nil || CurrentThread.isInTestTime else { return false }
    let isOver = excluding(epoch) { () -> Bool? in
      defer { if budget.isOver { budget = LoopBudget() } }
      return budget.isUsedUp()
    }
    return isOver == true
  }

  /// Looks without waiting and without asking for more, for a consumer whose take found nothing.
  package final func poll(as epoch: UInt64) -> PollResult {
    ask(as: epoch) { poll(demands: false, orJoinWith: nil) } ?? .displaced
  }

  /// The same for a listener, which asks for more. If there is nothing, its doorbell joins the wait queue.
  final func poll(as epoch: UInt64, orJoinWith bell: Doorbell) -> PollResult {
    ask(as: epoch) { poll(demands: true, orJoinWith: bell) } ?? .displaced
  }

  /// To be called when a listener is served: that it was rung, or came back to the line.
  final func wakeListener(as epoch: UInt64) {
    withPlace(of: epoch) { wake() }
  }

  /// To be called when a listener that may sleep is cancelled.
  final func leave(_ bell: Doorbell, as epoch: UInt64) {
    withPlace(of: epoch) { leaveQueue(bell) }
  }

  /// Takes what is known to be there, for the consumer.
  @inlinable @inline(__always)
  final func ifAdmitted<Found>(_ epoch: UInt64, _ body: () -> Found?) -> Found? {
    guard epoch == Self.onlyEpoch else {
      return lock.withLock { _ in admitted == epoch ? body() : nil }
    }
    soleUse.begin(of: elementType)
    defer { soleUse.end() }
    return body()
  }

  /// Does something as the consumer, which takes the place of an older one. Nil if a newer one has asked.
  private final func ask<Found>(as epoch: UInt64, _ body: () -> Found) -> Found? {
    var displaced: Doorbell?
    let found = excluding(epoch) { () -> Found? in
      guard case .granted(let sleeper) = consumer.ask(as: epoch) else { return nil }
      admitted = epoch
      if let sleeper { leaveQueue(sleeper) }
      displaced = sleeper
      return body()
    }
    displaced?.ring()
    return found
  }

  /// Does something for the consumer that has asked last, and displaces nobody. Nil for any other.
  final func withPlace<Found>(of epoch: UInt64, _ body: () -> Found?) -> Found? {
    excluding(epoch) { consumer.epoch == epoch ? body() : nil }
  }

  @inline(__always)
  private final func excluding<Found>(_ epoch: UInt64, _ body: () -> Found?) -> Found? {
    guard epoch == Self.onlyEpoch else { return lock.withLock { _ in body() } }
    soleUse.begin(of: elementType)
    defer { soleUse.end() }
    return body()
  }

  /// Returns the doorbell if there is nothing and the consumer sleeps.
  ///
  /// Not inlined: an async caller would keep room for these variables while it sleeps.
  @inline(never)
  private final func lookOrFallAsleep(
    as epoch: UInt64, isolation: (any Actor)?
  ) -> (isReadable: Bool, Doorbell?) {
    var bell: Doorbell?
    var awaited: Int?
    var result = ask(as: epoch) { () -> PollResult in
      if consumer.bell?.maySpin == true, let next, !isThere(next), spin.mayTry(isolation) {
        awaited = next
        return .nothing
      }
      return lookOrJoin(&bell)
    }
    if let awaited, result != nil {
      let hasSeen = AdaptiveSpin.sees { isThere(awaited) }
      result = ask(as: epoch) {
        spin.note(hasSeen: hasSeen)
        return lookOrJoin(&bell)
      }
    }
    if result == nil { reportDisplacement() }
    // In this order: see above.
    return (result == .readable && !Task.isCancelled, bell)
  }

  /// Joins the wait queue with a doorbell unless there is something. Requires the lock.
  private final func lookOrJoin(_ joined: inout Doorbell?) -> PollResult {
    var kept = consumer.bell
    if kept == nil {
      // A consumer that never has to wait makes no doorbell.
      let result = poll(demands: true, orJoinWith: nil)
      if result != .nothing { return result }
      kept = Doorbell(ofSubscriber: subscriber)
    }
    let result = poll(demands: true, orJoinWith: kept)
    if result == .nothing, let kept {
      consumer.fallAsleep(on: kept)
      budget = LoopBudget()
      joined = kept
    }
    return result
  }

  /// After the wait: the consumer was rung, cancelled or displaced. True if it should look again.
  ///
  /// The doorbell's stream ends only if the task was cancelled while it waited, and that is seen
  /// here: the runtime sets the task's flag before it calls the stream's handler, and the wait ends
  /// after the handler was removed.
  @inline(never)
  private final func wakeUp(from bell: Doorbell, as epoch: UInt64) -> Bool {
    let isCancelled = withPlace(of: epoch) { () -> Bool? in
      guard consumer.wakeUp(from: bell) else { return nil }
      wake()
      let isCancelled = Task.isCancelled
      if isCancelled {
        leaveQueue(bell)
        consumer.dropBell()
      }
      return isCancelled
    }
    if isCancelled == nil { reportDisplacement() } else if isCancelled == true { note(.cancelled) }
    return isCancelled == false
  }

  /// Two listeners on one subscription are legal, but seldom intended: this is reported once.
  private final func reportDisplacement() {
    note(.displaced)
    #if DEBUG
      if Task.isCancelled { return }
      Misuse.reportOnce(
        """
        A consumer of a subscription to \(elementType) was displaced by a newer one, and its loop ended. A subscription has one \
        consumer: for two listeners, subscribe once for each. If this is an input, was its owner's `run()` called twice?
        """)
    #endif
  }
}
