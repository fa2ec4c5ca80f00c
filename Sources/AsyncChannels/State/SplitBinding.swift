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
/// taken it. With any other inlet, a write counts as taken when ``Inlet/send(_:)`` returns. If an
/// owner takes the next write before it has answered the one before (``Overlap/concurrent``), its
/// answer to either is read.
///
/// It costs one registration with Observation for each write that the owner has not answered, and
/// keeps neither the owner nor its channel alive.
public final class SplitBinding<Value: Sendable & Equatable>: Observable, Sendable {
  /// What the source was at some moment.
  private struct Moment: Sendable {
    let version: Int
    /// For derived state, where some other part may change and this value not: that is no publication.
    /// What an owner publishes itself is one, even if it equals what was there.
    let value: Value?
  }

  private struct Writing: Sendable {
    /// What was written last; nil when the owner has decided.
    var draft: Value?
    /// How many times something was written.
    var count = 0
    /// How many calls are between noting the draft and having sent it.
    var sending = 0
    var hasPublishedMeanwhile = false
    /// What the source was when the next publication was waited for; nil if none is.
    var watched: Moment?
  }

  private let source: StateOutlet<Value>
  private let target: Inlet<Value>
  private let writing = Locked(Writing())
  /// For Observation: changes with each change of `value` that the source does not tell of.
  private let changes = CurrentValue(0)

  /// - Parameters:
  ///   - source: The owner's state.
  ///   - target: The owner's input.
  public init(reading source: StateOutlet<Value>, writing target: Inlet<Value>) {
    self.source = source
    self.target = target
    target.log?.countAll()
  }

  /// The value to show, and to write what the user makes of it.
  public var value: Value {
    get {
      // Another observer may be told of a publication before this one, and read here.
      if let watched = writing.withLock({ $0.watched }), source.version != watched.version {
        notePublication()
      }
      // Both are tracked. The source is read after the draft: before it, it could be older than a
      // decision that ends the draft meanwhile.
      _ = changes.value
      let draft = writing.withLock { $0.draft }
      let published = source.value
      return draft ?? published
    }
    set {
      guard newValue != value else { return }
      _ = writing.withLock { writing in
        writing.sending += 1
        writing.count += 1
        return exchange(&writing.draft, with: newValue)
      }
      changes.update { $0 += 1 }
      watch(since: moment())
      target.send(newValue)
      let mustJudge = writing.withLock { writing in
        writing.sending -= 1
        guard writing.sending == 0 else { return false }
        defer { writing.hasPublishedMeanwhile = false }
        return writing.hasPublishedMeanwhile
      }
      // Observers were told of the publication while the draft still hid it.
      if mustJudge, judge() { changes.update { $0 += 1 } }
    }
  }

  /// Waits for the owner's next publication. Each has to be judged when it is made: later, the
  /// owner may have taken more.
  ///
  /// - Parameter moment: From before the caller looked whether the owner has taken all: a publication
  ///   that came since then is judged, too.
  private func watch(since moment: Moment) {
    let isWatching = writing.withLock { writing in
      defer { writing.watched = writing.watched ?? moment }
      return writing.watched != nil
    }
    if isWatching { return }
    withObservationTracking {
      _ = source.value
    } onChange: { [weak self] in
      self?.notePublication()
    }
    // Observation tells nobody of what comes while it installs an observer.
    if source.version != moment.version { notePublication() }
  }

  private func moment() -> Moment {
    while true {
      let version = source.version
      let value: Value? = if case .derived(let state) = source.source { state.value } else { nil }
      if source.version == version { return Moment(version: version, value: value) }
    }
  }

  private func notePublication() {
    let moment = moment()
    let watched = writing.withLock { $0.watched.take() }
    if let value = watched?.value, value == moment.value { return watch(since: moment) }
    let mustJudge = writing.withLock { writing in
      // The draft is not in the input yet: what is there says nothing about it.
      if writing.sending > 0 { writing.hasPublishedMeanwhile = true }
      return writing.sending == 0
    }
    if mustJudge { _ = judge() }
  }

  /// Is what was published a decision on the draft, or a late answer to an earlier write? A
  /// decision ends the draft, and true is returned. Observers hear of it from the source, which has
  /// published.
  private func judge() -> Bool {
    let moment = moment()
    guard let judged = writing.withLock({ $0.draft == nil ? nil : $0.count }) else { return false }
    guard target.log?.isFullyTaken ?? true else {
      watch(since: moment)
      return false
    }
    // Unless there was another write meanwhile. The draft is destroyed with no lock held.
    let ended = writing.withLock { $0.count == judged ? $0.draft.take() : nil }
    return ended != nil
  }
}
