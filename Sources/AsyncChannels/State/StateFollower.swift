import Synchronization

/// A subscription to derived state. It is told when one of the states has changed of which the value was made, and
/// reads it then: it has no copy of anything.
///
/// No change is missed. A write stores its value before it tells (both under its log's lock), and this takes note of
/// what it was told before it reads. A reading tells of which states its value was made. If these are others than before,
/// this follows those, and reads once more: they may have changed before.
///
/// `@unchecked Sendable`: for the reason that `Waiter` gives. The locks of the cursors in it are not
/// taken: this one's lock guards them.
@usableFromInline
final class StateFollower: Waiter, @unchecked Sendable {
  /// What was given last. The value only if it is to be compared.
  private typealias Given = (version: Int, value: AnyBox?)
  /// What it follows no more.
  private typealias Left = [(LogCursor, AnyStateRoot)]

  private let node: StateNode
  private let type: Any.Type
  private let signal = ChangeSignal()
  /// Those it follows, by their numbers in the signal; nil for one that was left.
  @exclusivity(unchecked) private var sources: [LogCursor?] = []
  @exclusivity(unchecked) private var places: [(root: AnyStateRoot, place: SignalPlace)?] = []
  /// As the reading has met them.
  @exclusivity(unchecked) private var followed: MetRoots.Choice = ([], [])
  @exclusivity(unchecked) private var given: Given?
  /// The states of whose changes it has taken note in this step.
  @exclusivity(unchecked) private var changed: [ChangeSignal.ID] = []
  /// An empty array with room, so that no step makes one.
  @exclusivity(unchecked) private var spare: [ChangeSignal.ID] = []
  /// How many steps were done one after the other, without a look at who else waits for the actor.
  @exclusivity(unchecked) private var run = 0

  @usableFromInline
  init(of node: StateNode, _ type: Any.Type) {
    (self.node, self.type) = (node, type)
    super.init(subscriber: 0)
    var left: Left = []
    _ = follow(Evaluation.untracked(node).roots, leaving: &left)
    // What is made of no state has a value, too.
    if sources.isEmpty { signal.giveBack([]) }
  }

  override var elementType: Any.Type { type }

  override var droppedCount: Int { signal.replacedCount }

  override var takesSeveralAsOne: Bool { true }

  override var pendingCount: Int { signal.changedCount }

  /// The newest value, if it is another than the one that was given before. Closures run with no lock held. Whether the task
  /// is cancelled is asked again after that: so a value that was written after `cancel()` returned is left to the next consumer.
  @usableFromInline
  func step(_ mode: TakeMode, as epoch: UInt64) -> Upstream<AnyBox>.Taken {
    guard var known = takeNote(mode, as: epoch) else { return .nothing }
    // What was given before outlives the lock.
    defer { withExtendedLifetime(known.given) {} }
    while true {
      let (newest, roots) = Evaluation.untracked(node)
      if mode != .evenIfCancelled, Task.isCancelled {
        signal.giveBack(known.changed)
        return .nothing
      }
      let isGiven =
        known.given.map {
          $0.version == newest.version
            || $0.value.map { node.countAsOne($0, newest.value) } ?? false
        } ?? false
      // Destroyed with no lock held.
      var left: Left = []
      defer { withExtendedLifetime(left) {} }
      let result = withPlace(of: epoch) { () -> Upstream<AnyBox>.Taken in
        for id in known.changed { sources[id.number]?.noteTakenTogether() }
        changed += known.changed
        known.changed.removeAll(keepingCapacity: true)
        if follow(roots, leaving: &left) { return .nothing }
        swap(&spare, &known.changed)
        given = (newest.version, node.kept(of: newest.value))
        return isGiven ? .skipped : .element(newest.value)
      }
      if case .nothing = result { continue }
      if let result { return result }
      // It was displaced meanwhile: the newer one reads it.
      signal.giveBack(known.changed)
      return .nothing
    }
  }

  /// Which states have changed, and what was known before; nil if there is nothing to read.
  private func takeNote(
    _ mode: TakeMode, as epoch: UInt64
  ) -> (changed: [ChangeSignal.ID], given: Given?)? {
    withPlace(of: epoch) {
      run = mode == .atOnce ? run + 1 : 0
      if run == 64 { return nil }
      if mode == .next || mode == .atOnce {
        for id in changed { tellDemand(of: sources[id.number]) }
        changed.removeAll(keepingCapacity: true)
      }
      var taken = exchange(&spare, with: [])
      if signal.take(evenIfCancelled: mode == .evenIfCancelled, into: &taken) {
        return (taken, given)
      }
      swap(&spare, &taken)
      return nil
    }
  }

  /// What it took is worked on.
  @inline(never)
  private func tellDemand(of source: LogCursor?) {
    if let source, source.isObserved { _ = source.poll(demands: true, orJoinWith: nil) }
  }

  /// Subscribes to those that it does not follow. Returns whether there were any. Requires the lock.
  private func follow(_ roots: MetRoots, leaving left: inout Left) -> Bool {
    if roots.are(followed) { return false }
    followed = roots.choice
    let all = roots.unique
    let (ids, known) = (Set(all.map(\.id)), Set(places.compactMap { $0?.root.id }))
    for case let (root, place)? in places where !ids.contains(root.id) {
      if let source = sources[place.id.number].take() { left.append((source, root)) }
      places[place.id.number] = nil
      signal.remove(place)
    }
    let new = all.filter { !known.contains($0.id) }
    for root in new {
      // Traps if this thread is changing it.
      _ = root.look()
      let place = signal.add()
      if place.id.number == sources.count {
        sources.append(nil)
        places.append(nil)
      }
      sources[place.id.number] = root.log.subscribe(at: place)
      places[place.id.number] = (root, place)
    }
    return !new.isEmpty
  }

  /// Under the lock: a consumer on another thread may leave a state just now, and nothing may keep the cursor of that.
  override func note(_ step: ConsumerStep) {
    lock.withLock { _ in for source in sources { source?.note(step) } }
  }

  override func poll(demands: Bool, orJoinWith bell: Doorbell?) -> PollResult {
    let result = signal.poll(orJoinWith: bell)
    // A state that changes meanwhile is told to have more.
    if demands { for source in sources { tellDemand(of: source) } }
    return result
  }

  override func leaveQueue(_ bell: Doorbell) { signal.leave() }

  /// So that nobody takes a consumer that is awake for one that sleeps.
  override func wake() { signal.leave() }

  package override var parts: [Waiter] { lock.withLock { _ in sources.compactMap { $0 } } }
}
