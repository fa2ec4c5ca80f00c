/// A subscription to several states as one. It waits for all of them on one doorbell, and takes their newest values, all
/// of one moment (`NewestElements`).
///
/// A doorbell can be in one queue only, so each log's queue gets a branch of it, from when the consumer
/// falls asleep until it wakes. Branches are made anew for each sleep: when one has rung, a sender may have
/// taken another out of its queue and not rung it yet, and then its links are that sender's. A branch that
/// is rung late makes the next sleep look again.
///
/// `@unchecked Sendable`: for the reason that `Waiter` gives. The locks of the cursors in it are not
/// taken: this one's lock guards them.
final class StateMerge: Waiter, @unchecked Sendable {
  private let roots: StateRoots
  private let newest: NewestElements
  private let sources: [LogCursor]
  /// None while nobody sleeps.
  private var branches: [Doorbell] = []
  /// That of the last step.
  private var moment: StateMoment?
  /// Which source is asked next on behalf of those who wait until its subscribers have settled.
  private var turn = 0
  /// How many steps were done one after the other, without a look at who else waits for the actor.
  private var run = 0

  init(of roots: StateRoots) {
    let newest = NewestElements(of: roots.all.count)
    (self.roots, self.newest) = (roots, newest)
    sources = roots.all.enumerated().map { number, root in
      root.log.subscribe(at: NewestPlace(in: newest, number: number))
    }
    super.init(subscriber: 0)
  }

  override var elementType: Any.Type { sources[0].elementType }

  override var droppedCount: Int { newest.replacedCount }

  override var pendingCount: Int { newest.changedCount }

  /// What there is now, if something has changed; its caller computes, with no lock held, and ends it.
  func step(_ mode: TakeMode, as epoch: UInt64) -> StateMoment? {
    // Outlives the lock: values that were replaced are destroyed with none held.
    var old: StateMoment?
    defer { withExtendedLifetime(old) {} }
    return withPlace(of: epoch) {
      run = mode == .atOnce ? run + 1 : 0
      if run == 64 { return nil }
      if mode == .next || mode == .atOnce { askNext() }
      guard let taken = newest.take(evenIfCancelled: mode == .evenIfCancelled) else { return nil }
      for number in taken.changed { sources[number].noteTakenTogether() }
      old = moment
      let new = StateMoment(of: roots, taken.elements, after: moment)
      moment = new
      return new
    }
  }

  /// One source in each step, so that one that does not change is asked, too.
  private func askNext() {
    turn = turn + 1 < sources.count ? turn + 1 : 0
    if sources[turn].isObserved { _ = sources[turn].poll(demands: true, orJoinWith: nil) }
  }

  override func note(_ step: ConsumerStep) {
    for source in sources { source.note(step) }
  }

  override func poll(demands: Bool, orJoinWith bell: Doorbell?) -> PollResult {
    if newest.isReady {
      for source in sources where demands && source.isObserved {
        _ = source.poll(demands: true, orJoinWith: nil)
      }
      return .readable
    }
    guard let bell else { return poll { sources[$0].poll(demands: demands, orJoinWith: nil) } }
    assert(branches.isEmpty, "A branch that stays in a queue outlives its consumer.")
    branches = sources.map { Doorbell(sharing: bell, ofSubscriber: $0.subscriber) }
    let result = poll { sources[$0].poll(demands: demands, orJoinWith: branches[$0]) }
    if result != .nothing { leaveQueues() }
    return result
  }

  /// Readable if one of them is, finished if all are. Behind one that is readable, only those are looked at of which
  /// somebody wants to know that this consumer asks for more.
  private func poll(_ lookAt: (Int) -> PollResult) -> PollResult {
    var result = PollResult.finished
    for number in sources.indices where result != .readable || sources[number].isObserved {
      switch lookAt(number) {
      case .readable: result = .readable
      case .nothing: if result == .finished { result = .nothing }
      case .finished, .displaced: continue
      }
    }
    return result
  }

  override func leaveQueue(_ bell: Doorbell) { leaveQueues() }

  /// So that nobody takes a consumer that is awake for one that sleeps.
  override func wake() { leaveQueues() }

  private func leaveQueues() {
    for (source, branch) in zip(sources, branches) { source.leaveQueue(branch) }
    branches = []
  }

  package override var parts: [Waiter] { sources }
}
