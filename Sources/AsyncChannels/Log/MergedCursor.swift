/// Subscriptions to several logs as one, which waits for all of them on one doorbell, and takes what was sent to
/// them in the order in which it was sent (`MergeOrder`).
///
/// A doorbell can be in one queue only, so each log's queue gets a branch of it, from when the consumer
/// falls asleep until it wakes. Branches are made anew for each sleep: when one has rung, a sender may have
/// taken another out of its queue and not rung it yet, and then its links are that sender's. A branch that
/// is rung late makes the next sleep look again.
///
/// `@unchecked Sendable`: for the reason that `Waiter` gives. The locks of the cursors in it are not
/// taken: this one's lock guards them.
final class MergedCursor: Waiter, @unchecked Sendable {
  private let sources: [LogCursor]
  /// None while nobody sleeps.
  private var branches: [Doorbell] = []
  private let order: MergeOrder
  /// Which source is asked next on behalf of those who wait until its subscribers have settled.
  private var turn = 0
  /// How many elements were taken one after the other, without a look at who else waits for the actor.
  private var run = 0

  init(_ sources: [LogCursor], in order: MergeOrder) {
    for source in sources { source.admit(Position.onlyEpoch) }
    self.sources = sources
    self.order = order
  }

  override var elementType: Any.Type { sources.first?.elementType ?? Never.self }

  override var droppedCount: Int { sources.reduce(0) { $0 + $1.droppedCount } }

  /// Takes what is there for the next step: an element of one source, or elements of several. Requires the lock.
  func take(_ mode: TakeMode, into target: some MergeTarget) -> Bool {
    run = mode == .atOnce ? run + 1 : 0
    if run == 64 { return false }
    let asks = mode == .next || mode == .atOnce
    if asks { askNext() }
    if order.takesNewest { return takeNewest(mode, into: target) }
    guard let next = order.takeNext(evenIfCancelled: mode == .evenIfCancelled) else {
      return false
    }
    for change in next.missed { _ = target.take(.value(change.value), from: change.number) }
    return target.take(.first(asks: asks), from: next.number)
  }

  /// What is in the queues by now is in the order, too. An element that comes to a queue after that may be taken from
  /// the order in this step and be left in the queue: when nothing else is there, a later step clears it away.
  private func takeNewest(_ mode: TakeMode, into target: some MergeTarget) -> Bool {
    let present = order.present
    for number in present.isEmpty ? Array(sources.indices) : present {
      // No more than there are: a sender may be faster than this.
      for _ in 0..<sources[number].pendingCount
      where !target.take(.unneeded(mode), from: number) { break }
    }
    let changes = order.takeNewest(evenIfCancelled: mode == .evenIfCancelled)
    for change in changes { _ = target.take(.value(change.value), from: change.number) }
    return !changes.isEmpty
  }

  /// One source in each step, so that one that does not change is asked, too.
  private func askNext() {
    if sources.isEmpty { return }
    turn = turn + 1 < sources.count ? turn + 1 : 0
    let cursor = sources[turn]
    if cursor.isObserved { _ = cursor.poll(asks: true, orJoinWith: nil) }
  }

  override func note(_ step: ConsumerStep) {
    for source in sources { source.note(step) }
  }

  /// A consumer that was cancelled may have left in the order what is no longer in a queue.
  override var pendingCount: Int {
    let count = sources.reduce(0) { $0 + $1.pendingCount }
    return count == 0 && order.isReady ? 1 : count
  }

  /// Where something is in the order, not each source is looked at: there may be thousands. (The queues may be empty of
  /// it: a consumer that was cancelled has taken it from them, and left it in the order.)
  override func poll(asks: Bool, orJoinWith bell: Doorbell?) -> PollResult {
    if order.isReady {
      for source in sources where asks && source.isObserved {
        _ = source.poll(asks: true, orJoinWith: nil)
      }
      return .readable
    }
    guard let bell else { return poll { sources[$0].poll(asks: asks, orJoinWith: nil) } }
    assert(branches.isEmpty, "A branch that stays in a queue outlives its consumer.")
    branches = sources.map { _ in Doorbell(sharing: bell) }
    let look = poll { sources[$0].poll(asks: asks, orJoinWith: branches[$0]) }
    if look != .nothing { leaveQueues() }
    return look
  }

  override func leaveQueue(_ bell: Doorbell) -> Bool { leaveQueues() }

  /// So that nobody takes a consumer that is awake for one that sleeps.
  override func wake() { leaveQueues() }

  override func helpRinging() { for source in sources { source.helpRinging() } }

  override var isSubscriber: Bool { sources.allSatisfy(\.isSubscriber) }

  override func becomeOnlooker() {
    for source in sources { source.becomeOnlooker() }
  }

  override func makeWatchers() -> [Waiter] { sources.flatMap { $0.makeWatchers() } }

  /// Readable if one of them is, finished if all are.
  ///
  /// Behind one that is readable, only those are looked at of which somebody wants to know that this
  /// consumer asks for more: it asks all of them, and one may have nothing ever again.
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

  /// True if there was a sleeper, though a branch may ring, too: one ring too many does no harm, since each sleep
  /// has branches of its own.
  @discardableResult
  private func leaveQueues() -> Bool {
    if branches.isEmpty { return false }
    for (source, branch) in zip(sources, branches) { _ = source.leaveQueue(branch) }
    branches = []
    return true
  }
}

/// An element of one of several queues that are taken as one.
enum MergedChange {
  /// The first in the queue, which is there.
  case first(asks: Bool)
  /// The first in the queue, if there is one: others are newer.
  case unneeded(TakeMode)
  /// One that the queue did not keep, or the newest.
  case value(AnyBox)
}

protocol MergeTarget: AnyObject {
  /// Takes an element. Called while the lock of the `MergedCursor` is held, so in the order in which elements are taken:
  /// it must not run code of a user. False if an unneeded one is not there, or if the task is cancelled.
  func take(_ change: MergedChange, from number: Int) -> Bool
}
