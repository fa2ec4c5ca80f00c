public import Observation
import Synchronization

/// A value that is read from one place and written to another: for a text field whose owner has the
/// last word on the text.
///
/// ```swift
/// @Input var inputText: Inlet<String>                       // what was typed
/// @CurrentValue private var output = ""                      // what became of it
/// public let text: SplitBinding<String>
///
/// init() {
///   text = SplitBinding(reading: _output.outlet, writing: _inputText.inlet)
/// }
///
/// TextField("Name", text: Bindable(viewModel.text).value)
/// ```
///
/// An ordinary binding would put the older text back between a key stroke and the owner's answer, and Japanese or
/// Chinese input would lose what is half typed. Here **what is read is never older than what was last written**:
///
/// - What was written is read back immediately, until the owner decides.
/// - While something written still waits in the input, the binding ignores what the owner publishes: that
///   answers an older write.
/// - What the owner publishes when it has taken all that was written is its decision, and is read:
///   the same text, a corrected one, or an empty one. If the owner publishes nothing, the field
///   stays as it was typed.
///
/// Writing the value that is read sends nothing. Reading is tracked by Observation: an observer is
/// told both of what is written here and of what the owner publishes.
///
/// Whether a write still waits is known of the inlet of a channel, an ``Input``'s above all, and of
/// what `contramap` of ``Inlet`` makes of one: it waits until all subscribers of that channel have
/// taken it, and what others sent to the channel while it was being sent. With any other inlet, a
/// write counts as taken when it is sent. If an owner takes the next write before it has answered the
/// one before (`Overlap.concurrent`), its answer to either is read.
///
/// The owner's state tells the binding of each of its publications, on the publisher's thread, until
/// the binding is dropped. While a write waits for its answer, the closures of a derived source run
/// once more for each of them; such a source has published when its value is another than before.
/// Until the write was taken, elements of its channel are sent and taken on the slow path. Reading
/// waits for no owner, unless ``CurrentValue/update(_:)`` is changing the source in place. The binding
/// keeps neither the owner nor its channel alive.
public final class SplitBinding<Value: Sendable & Equatable>: Observable, Sendable {
  private let source: StateOutlet<Value>
  private let target: Inlet<Value>
  private let drafting = Locked(Drafting<Value>())
  private let followed = FollowedRoots()
  /// The source is read untracked, so this is all that tells of what is read.
  private let observed = ObservedValue()

  /// Connects a field to an owner's state and input.
  ///
  /// - Parameters:
  ///   - source: The owner's state.
  ///   - target: The owner's input.
  public init(reading source: StateOutlet<Value>, writing target: Inlet<Value>) {
    self.source = source
    self.target = target
    switch source.source {
    case .state(let root): followed.follow([AnyStateRoot(root.observed)], since: 0, tell)
    case .derived(let derived): _ = newest(of: derived)
    }
  }

  deinit {
    drafting.withLock { $0.end() }.receipt?.end()
  }

  /// The value to show, and to write what the user makes of it.
  public var value: Value {
    get {
      observed.noteAccess()
      return current
    }
    set {
      if current != newValue { send(newValue) }
    }
  }

  /// The source is read after the draft: before it, it could be older than a decision that ends the
  /// draft meanwhile.
  private var current: Value {
    if let draft = drafting.withLock({ $0.draft }) { return draft }
    return switch source.source {
    case .state(let root): StateRoot.untrackedValue(of: root.log, root.observed)
    case .derived(let derived): current(of: derived)
    }
  }

  private func current(of derived: DerivedState<Value>) -> Value {
    let before = followed.number
    // While something is changed in place, reading waits until that is done.
    let value = published?.value ?? newest(of: derived)
    // Another reader may have followed states that were old by then, and so have missed changes. It follows twice, at least.
    if followed.number > before + 1 { Evaluation.apart(tell) }
    return value
  }

  @inline(never)
  private func newest(of derived: DerivedState<Value>) -> Value {
    while true {
      let before = followed.number
      let (newest, roots) = Evaluation.untracked(derived.node)
      if followed.follow(roots.unique, since: before, tell) == before {
        return Box<Value>.value(in: newest.value)
      }
    }
  }

  /// Calls a function with the value now, before this returns, and soon after each change, on the main actor: for
  /// the text field of a controller.
  ///
  /// ```swift
  /// viewModel.text.observe { [weak self] in self?.field.show($0) }.store(in: &tokens)
  /// field.onChange { [viewModel] in viewModel.text.value = $0 }
  /// ```
  ///
  /// A call gets the value of that moment, not the one of which it was told: the user may have typed since
  /// then. So it never brings back an older text. Changes that come before a call are one call, and a call may come
  /// with the value of the call before: the field may show another by then, which the owner has refused.
  ///
  /// Once the token was cancelled or dropped on the main actor, the function is not called again. Each call
  /// costs one job on the main actor, and each further change before it one atomic exchange.
  @MainActor
  public func observe(_ body: @escaping @MainActor (Value) -> Void) -> CancellationToken {
    let observer = ChangeObserver(of: observed) { [weak self] in
      if let self { body(self.current) }
    }
    body(current)
    return CancellationToken { observer.end() }
  }

  private func send(_ value: Value) {
    let receipt = target.log.map { Receipt(of: $0) }
    let old = drafting.withLock { $0.begin(value, receipt) }
    old.receipt?.end()
    // What is there before the write is sent is no decision on it.
    if let published { remember(published) }
    target.send(value)
    receipt?.endSending()
    observed.tellOfChange()
  }

  /// What was published is no decision on the draft.
  private func remember(_ published: Published<Value>) {
    let old = drafting.withLock { $0.remember(published) }
    withExtendedLifetime(old) {}
  }

  /// Is what was published just now read? A decision on the draft is, and ends the draft. A late
  /// answer to an earlier write is not.
  ///
  /// This runs on the publisher's thread, before it goes on. So an owner that takes, decides and
  /// publishes has not taken more than it had taken when it published.
  private func judge() -> Bool {
    while true {
      guard let seen = drafting.withLock({ $0.look() }) else { return true }
      guard case .derived = source.source else { return seen.isTaken && end(seen) }
      let before = followed.number
      // Something is changed in place just now: it comes here when that is published.
      guard let published else { return false }
      // A state that it did not follow may have answered meanwhile.
      if followed.number != before { continue }
      let isChanged = seen.before.map { $0.value != published.value } ?? true
      if seen.isTaken, isChanged, end(seen) { return true }
      remember(published)
      return false
    }
  }

  /// Ends the draft that was seen. False if there was another write meanwhile, on which this is no decision.
  private func end(_ seen: Drafting<Value>.Seen) -> Bool {
    let old = drafting.withLock { $0.number == seen.number ? $0.end() : nil }
    old?.receipt?.end()
    return old != nil
  }

  /// What a derived source is now, read without waiting and without touching a value that is being updated; nil
  /// while one is changed in place.
  private var published: Published<Value>? {
    guard case .derived(let derived) = source.source else { return nil }
    while true {
      let before = followed.place
      var wanted = followed.roots
      guard let (newest, roots) = Evaluation.withoutWaiting(derived.node, &wanted) else {
        // What is changed in place comes here when that is published, if it is followed.
        if followed.follow(wanted, since: before.number, tell) == before.number { return nil }
        continue
      }
      guard followed.follow(roots.unique, since: before.number, tell) == before.number
      else { continue }
      return Published(
        value: Box<Value>.value(in: newest.value), version: before.version,
        isCurrent: before.version == followed.place.version)
    }
  }

  /// To be called when a state has changed that the source is made of.
  private var tell: @Sendable () -> Void {
    { [weak self] in
      if let self, judge() { observed.tellOfChange() }
    }
  }
}

/// The states of which the source of a binding is made, each of which tells it of its changes.
private final class FollowedRoots: Sendable {
  private struct State {
    var roots: [AnyStateRoot] = []
    /// How often they were replaced.
    var number = 0
    /// So that the version ascends, though they are replaced.
    var addend = 0

    var version: Int { roots.reduce(addend) { $0 + $1.version } }
  }

  private let state = Locked(State())

  deinit {
    for root in roots {
      root.observed.removeFollower(ObjectIdentifier(self))
    }
  }

  /// How often they were replaced, and another number, which is higher after each publication.
  var place: (number: Int, version: Int) { state.withLock { ($0.number, $0.version) } }

  var number: Int {
    @inline(never) get { state.withLock { $0.number } }
  }
  var roots: [AnyStateRoot] { state.withLock { $0.roots } }

  /// To be called after the source was read, of these states. If they are others than before, follows them: then another
  /// number comes back, and the source is to be read again, since they may have changed meanwhile.
  ///
  /// - Parameter before: The number when it began to be read. If there is another now, these may be old.
  @discardableResult
  func follow(
    _ roots: [AnyStateRoot], since before: Int, _ tell: @escaping @Sendable () -> Void
  ) -> Int {
    let (number, old) = state.withLock { state in
      if state.number != before || state.roots.elementsEqual(roots, by: { $0.id == $1.id }) {
        return (state.number, [AnyStateRoot]())
      }
      let ids = Set(roots.map(\.id))
      var known = Set(state.roots.map(\.id))
      if ids == known { return (state.number, []) }
      let next = state.version + 1
      for root in state.roots where !ids.contains(root.id) {
        root.observed.removeFollower(ObjectIdentifier(self))
      }
      for root in roots where known.insert(root.id).inserted {
        root.observed.addFollower(ObjectIdentifier(self), tell)
      }
      let old = exchange(&state.roots, with: roots)
      state.number += 1
      state.addend += next - state.version
      return (state.number, old)
    }
    // They outlive the lock.
    withExtendedLifetime(old) {}
    return number
  }
}

extension StateOutlet {
  /// The states that it is made of.
  var roots: [AnyStateRoot] {
    switch source {
    case .state(let root): [AnyStateRoot(root.observed)]
    case .derived(let derived): Evaluation.untracked(derived.node).roots.unique
    }
  }
}
