public import Observation
import Synchronization

/// A value that is read from one place and written to another: what a text field is bound to when
/// its owner has the last word on the text.
///
/// ```swift
/// @Input var inputText: Inlet<String>                       // what was typed
/// @CurrentValue private(set) var outputText = ""            // what became of it
/// let text: SplitBinding<String>
///
/// init() {
///   text = SplitBinding(reading: _outputText, writing: _inputText.inlet)
/// }
///
/// TextField("Name", text: Bindable(viewModel.text).value)
/// ```
///
/// A plain pair of a getter and a setter stutters: between a key stroke and the owner's answer the
/// field shows the older text again, and an input method loses what is half typed. So **what is
/// read is never older than what was last written**:
///
/// - What was written is read back at once, until the owner answers.
/// - An answer to an earlier write, which the owner publishes late, is recognized by being equal to
///   that write, and passed over.
/// - Any other value that the owner publishes after the last write is its decision, and is read:
///   the same text, a corrected one, or an emptied field.
///
/// Writing what is read already sends nothing. Reading is tracked by Observation: both what is
/// written here and what the owner publishes.
///
/// Only an answer that is passed on as it was written can be recognized as late. An owner that
/// changes texts answers before the next write, or the field shows the changed answer to the
/// earlier one. Of the writes that were not answered the newest 256 are remembered. The binding
/// keeps the owner's state alive, not the owner.
public final class SplitBinding<Value: Sendable & Equatable>: Observable, Sendable {
  private let source: CurrentValue<Value>
  private let target: Inlet<Value>
  private let state = Locked(SplitState<Value>())
  /// Counts writes, so that Observation hears of them.
  private let writes = CurrentValue(0)

  /// - Parameters:
  ///   - source: The owner's state.
  ///   - target: The owner's input.
  public init(reading source: CurrentValue<Value>, writing target: Inlet<Value>) {
    self.source = source
    self.target = target
  }

  /// The value to show, and to write what the user makes of it.
  public var value: Value {
    get {
      _ = writes.value
      var number = 0
      let published = source.value(number: &number)
      return change { $0.read(published, number: number) }
    }
    set {
      guard newValue != value else { return }
      var number = 0
      _ = source.value(number: &number)
      change { $0.write(newValue, after: number) }
      writes.update { $0 += 1 }
      target.send(newValue)
    }
  }

  /// Changes the state on a copy, since comparing values and letting go of them runs code of
  /// theirs, which may come back here.
  @discardableResult
  private func change<Result>(_ body: (inout SplitState<Value>) -> Result) -> Result {
    while true {
      let old = state.withLock { $0 }
      var new = old
      let result = body(&new)
      new.version += 1
      let isStored = state.withLock { state in
        guard state.version == old.version else { return false }
        swap(&state, &new)
        return true
      }
      if isStored { return result }
    }
  }
}

/// What was written and not answered.
private struct SplitState<Value: Sendable & Equatable>: Sendable {
  private static var memory: Int { 256 }

  /// Counts changes.
  var version = 0
  /// What was written last, unless the owner has answered since.
  private var written: Value?
  /// Earlier writes without an answer, oldest first.
  private var earlier: [Value] = []
  /// The source's values up to this number are older than what was written.
  private var lastOld = 0

  mutating func read(_ source: Value, number: Int) -> Value {
    guard let written else { return source }
    guard number > lastOld else { return written }
    // A late answer, if it can be one: the same text may have been written before and again last.
    // Answers come in order, so there will be none to the writes before it.
    if let index = earlier.firstIndex(of: source) {
      earlier.removeFirst(index + 1)
      lastOld = number
      return written
    }
    self.written = nil
    earlier = []
    return source
  }

  mutating func write(_ value: Value, after number: Int) {
    if let written {
      earlier.append(written)
      if earlier.count > Self.memory { earlier.removeFirst() }
    }
    written = value
    lastOld = number
  }
}
