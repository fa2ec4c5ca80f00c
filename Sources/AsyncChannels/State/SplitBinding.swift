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
/// A plain pair of a getter and a setter stutters: between a key stroke and the owner's answer the
/// field shows the older text again, and an input method loses what is half typed. So **what is
/// read is never older than what was last written**:
///
/// - What was written is read back immediately, until the owner decides.
/// - What the owner publishes while a write still waits in its input is a late answer to an earlier
///   write: it is passed over, whatever it is.
/// - What the owner publishes when it has taken all that was written is its decision, and is read:
///   the same text, a corrected one, or an empty one. If the owner publishes nothing, the field
///   stays as it was typed.
///
/// Writing the value that is read sends nothing. Reading is tracked by Observation: an observer is
/// told both of what is written here and of what the owner publishes.
///
/// Whether a write still waits is known of the inlet of a channel, an ``Input``'s above all, and of
/// what `contramap` of ``Inlet`` makes of one: it waits until all subscribers of that channel have
/// taken it. With any other inlet, a write counts as taken when it is sent. If an owner takes the next
/// write before it has answered the one before (``Overlap/concurrent``), its answer to either is read.
///
/// The owner's state tells the binding of each of its publications, on the publisher's thread, until the
/// binding is dropped. While a write waits for its answer, the closures of a derived source run once more for
/// each of them; such a source has published when its value is another than before. Reading waits for no
/// owner, unless ``CurrentValue/update(_:)`` is changing the source in place. The binding keeps neither the
/// owner nor its channel alive.
public final class SplitBinding<Value: Sendable & Equatable>: Observable, Sendable {
  private let source: StateOutlet<Value>
  /// The source's.
  private let publications: ObservedValue
  private let target: Inlet<Value>
  private let drafting = Locked(Drafting<Value>())
  /// For Observation: changes with each change of `value` that the source does not tell of.
  private let changes = CurrentValue(0)

  /// - Parameters:
  ///   - source: The owner's state.
  ///   - target: The owner's input.
  public init(reading source: StateOutlet<Value>, writing target: Inlet<Value>) {
    self.source = source
    self.target = target
    publications = source.observed
    target.log?.countAll()
    let follower = StateFollower(id: ObjectIdentifier(self)) { [weak self] in self?.judge() }
    publications.add(follower)
  }

  deinit {
    publications.remove(ObjectIdentifier(self))
    forget(drafting.withLock { $0.end() })
  }

  /// The value to show, and to write what the user makes of it.
  public var value: Value {
    get {
      // All that it depends on is tracked before it is read: see `ObservedValue.access`.
      _ = changes.value
      publications.access()
      return current
    }
    set {
      let before = published
      if current != newValue { send(newValue, insteadOf: before) }
    }
  }

  /// The source is read after the draft: before it, it could be older than a decision that ends the draft meanwhile.
  private var current: Value { drafting.withLock { $0.draft } ?? source.value }

  /// Calls a function with the value now, before this returns, and after each change, in a later turn of the main
  /// actor: for the text field of a controller.
  ///
  /// ```swift
  /// viewModel.text.observe { [weak self] in self?.field.show($0) }.store(in: &tokens)
  /// field.onChange { [viewModel] in viewModel.text.value = $0 }
  /// ```
  ///
  /// A call gets the value of that moment, not the one of which it was told: the user may have typed since
  /// then. So it never brings back an older text. Changes that come in one turn of the main actor are one
  /// call, and a call may come with the value of the call before: the field may show another by then, which
  /// the owner has refused.
  ///
  /// Once the token was cancelled or dropped on the main actor, the function is not called again. Each turn
  /// costs one job on the main actor, and each further change before it one atomic exchange.
  @MainActor
  public func observe(_ body: @escaping @MainActor (Value) -> Void) -> CancellationToken {
    let observer = ChangeObserver(of: [publications, changes.observed]) { [weak self] in
      if let self { body(self.value) }
    }
    observer.begin()
    body(value)
    return CancellationToken { observer.end() }
  }

  private func send(_ value: Value, insteadOf before: Published<Value>?) {
    let mark = target.log?.beginMarking()
    let replaced = drafting.withLock { $0.begin(value, markedBy: mark, insteadOf: before) }
    // Something was published since, and not judged: there was no draft. Or the source was changed in place then.
    if let published, before?.version != published.version { noteUndecided(published) }
    target.send(value)
    if let mark { target.log?.endMarking(mark) }
    forget(replaced)
    changes.update { $0 += 1 }
  }

  /// What was published last is no decision on the draft.
  private func noteUndecided(_ published: Published<Value>) {
    let replaced = drafting.withLock { $0.note(published) }
    withExtendedLifetime(replaced) {}
  }

  /// Is what was published just now a decision on the draft, or a late answer to an earlier write? A
  /// decision ends the draft. Observers hear of it from the source, which tells them after this.
  ///
  /// This runs on the publisher's thread, before it goes on. So an owner that takes, decides and publishes
  /// has not taken more than it had taken when it published.
  private func judge() {
    guard let seen = drafting.withLock({ $0.look(into: target.log) }) else { return }
    guard case .derived = source.source else {
      if seen.isTaken { _ = end(seen) }
      return
    }
    // Something is changed in place just now: it comes here when that is published.
    guard let published else { return }
    let isChanged = seen.before.map { $0.value != published.value } ?? true
    if seen.isTaken, isChanged, end(seen) { return }
    noteUndecided(published)
  }

  /// Ends the draft that was seen. False if there was another write meanwhile, on which this is no decision.
  private func end(_ seen: Drafting<Value>.Seen) -> Bool {
    guard let old = drafting.withLock({ $0.number == seen.number ? $0.end() : nil }) else {
      return false
    }
    forget(old)
    return true
  }

  private func forget(_ old: Drafting<Value>) {
    if let mark = old.mark { target.log?.forget(mark) }
  }

  /// What a derived source is now, read without waiting and without touching a value that is being updated; nil
  /// while one is changed in place.
  private var published: Published<Value>? {
    guard case .derived(let derived) = source.source else { return nil }
    guard let reading = derived.node.reading(mayWait: false) else { return nil }
    return Published(
      value: reading.value.value(as: Value.self), version: reading.changedAt, isCurrent: reading.isCurrent)
  }
}

extension StateOutlet {
  /// What is told of each change.
  fileprivate var observed: ObservedValue {
    switch source {
    case .state(let root): root.observed
    case .derived(let derived): derived.node.observed
    }
  }
}
