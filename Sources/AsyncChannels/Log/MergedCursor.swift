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
  /// One of the subscriptions, and how an element that is there is taken from it.
  struct Source: Sendable {
    let cursor: LogCursor
    let take: @Sendable (Terms) -> AnyStateValue?

    init<Element>(_ cursor: Cursor<Element>) {
      self.cursor = cursor
      cursor.admit(Position.onlyTicket)
      take = { terms in
        guard let element = cursor.lookAndTake(terms, as: Position.onlyTicket) else { return nil }
        return StateValue(element)
      }
    }
  }

  private let sources: [Source]
  /// None while nobody sleeps.
  private var branches: [Doorbell] = []
  private let order: MergeOrder
  /// Which source is asked next on behalf of those who wait until its subscribers have settled.
  private var turn = 0

  init(_ sources: [Source], in order: MergeOrder) {
    self.sources = sources
    self.order = order
  }

  override var elementType: Any.Type { sources.first?.cursor.elementType ?? Never.self }

  override var droppedCount: Int { sources.reduce(0) { $0 + $1.cursor.droppedCount } }

  /// Takes what is there for the next step: an element of one source, or elements of several.
  ///
  /// - Parameter note: Is called while the lock is held, so in the order in which elements are taken. It
  ///   must not run code of a user.
  func take<Noted>(
    _ terms: Terms, as ticket: UInt64, _ note: ([MergeOrder.Change]) -> Noted
  ) -> Noted? {
    withPlace(of: ticket) {
      askNext(terms)
      return (order.takesNewest ? takeNewest(terms) : takeNext(terms)).map(note)
    }
  }

  private func takeNext(_ terms: Terms) -> [MergeOrder.Change]? {
    guard let number = order.next, let value = sources[number].take(terms) else {
      return nil
    }
    var changes = order.takeMissed()
    changes.append(MergeOrder.Change(number: number, value: value))
    return changes
  }

  /// What is in the queues by now is in the order, too. An element that comes to a queue after that may be taken from
  /// the order in this step and be left in the queue: when nothing else is there, a later step clears it away.
  private func takeNewest(_ terms: Terms) -> [MergeOrder.Change]? {
    let present = order.present
    for number in present.isEmpty ? Array(sources.indices) : present {
      // No more than there are: a sender may be faster than this.
      for _ in 0..<sources[number].cursor.pendingCount where sources[number].take(terms) == nil {
        break
      }
    }
    guard let changes = order.takeNewest(evenIfCancelled: terms == .evenIfCancelled) else {
      return nil
    }
    return changes.isEmpty ? nil : changes
  }

  /// One source in each step, so that one that does not change is asked, too.
  private func askNext(_ terms: Terms) {
    guard terms == .next, !sources.isEmpty else { return }
    turn = turn + 1 < sources.count ? turn + 1 : 0
    let cursor = sources[turn].cursor
    if cursor.isObserved { _ = cursor.look(asks: true, orJoinWith: nil) }
  }

  override func note(_ step: ConsumerStep) {
    for source in sources { source.cursor.note(step) }
  }

  override func flow() -> String? {
    sources.lazy.compactMap { $0.cursor.flow() }.first
  }

  override var pendingCount: Int { sources.reduce(0) { $0 + $1.cursor.pendingCount } }

  override func look(asks: Bool, orJoinWith bell: Doorbell?) -> Look {
    guard let bell else {
      return lookInOrder(look { sources[$0].cursor.look(asks: asks, orJoinWith: nil) })
    }
    assert(branches.isEmpty, "A branch that stays in a queue outlives its consumer.")
    branches = sources.map { _ in Doorbell(branchOf: bell) }
    let look = lookInOrder(
      look { sources[$0].cursor.look(asks: asks, orJoinWith: branches[$0]) })
    if look != .nothing { leaveQueues() }
    return look
  }

  /// The queues may be empty of what is there: a consumer that was cancelled has taken it from them, and left it in
  /// the order.
  private func lookInOrder(_ look: Look) -> Look {
    order.takesNewest && order.isReady ? .readable : look
  }

  override func leaveQueue(_ bell: Doorbell) -> Bool { leaveQueues() }

  /// So that nobody takes a consumer that is awake for one that sleeps.
  override func wake() { leaveQueues() }

  override func helpRinging() { for source in sources { source.cursor.helpRinging() } }

  override var isSubscriber: Bool { sources.allSatisfy(\.cursor.isSubscriber) }

  /// From now on no call of `settled()` waits for it. To be called before it is consumed.
  func becomeOnlooker() {
    for source in sources { source.cursor.becomeOnlooker() }
  }

  override func makeWatchers() -> [Waiter] { sources.flatMap { $0.cursor.makeWatchers() } }

  /// Readable if one of them is, finished if all are.
  ///
  /// Behind one that is readable, only those are looked at of which somebody wants to know that this
  /// consumer asks for more: it asks all of them, and one may have nothing ever again.
  private func look(_ lookAt: (Int) -> Look) -> Look {
    var result = Look.finished
    for number in sources.indices where result != .readable || sources[number].cursor.isObserved {
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
    for (source, branch) in zip(sources, branches) { _ = source.cursor.leaveQueue(branch) }
    branches = []
    return true
  }
}
