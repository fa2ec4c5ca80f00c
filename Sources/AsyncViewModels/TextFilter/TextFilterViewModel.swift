public import AsyncChannelsRunning
public import Observation

/// Passes on the texts of more than three characters.
///
/// The output never has a shorter text. The field is bound to ``text``, so it shows every text as soon as it
/// is typed, and a late output never overwrites newer typing.
@MainActor
public final class TextFilterViewModel: ViewModel, Observable {
  /// Input: what is in the field.
  @Input public var inputText: Inlet<String>

  /// Output: the last text that passed the filter.
  public var outputText: StateOutlet<String> { $output }

  /// Output: whether a text is being checked. It changes twice for each text, and becomes false before the
  /// output is published.
  public var isFiltering: StateOutlet<Bool> { $filtering }

  /// For the field: reads the output, writes to the input.
  public let text: SplitBinding<String>

  @CurrentValue private var output = ""
  @CurrentValue private var filtering = false
  private let passes: @Sendable (String) async -> Bool

  /// Makes a view model for a field and the text that has passed its check.
  ///
  /// - Parameter passes: Decides which texts go out; by default, those of more than three
  ///   characters. Texts are checked one after the other.
  public init(passing passes: @escaping @Sendable (String) async -> Bool = { $0.count > 3 }) {
    self.passes = passes
    text = SplitBinding(reading: _output.outlet, writing: _inputText.inlet)
  }

  /// Filters the texts that arrive at ``inputText``, until its task is cancelled.
  public func run() async {
    let passes = passes
    let output = _output
    await _inputText.received.answer(busy: _filtering.inlet) { text in
      await passes(text) ? text : nil
    } publish: { _, passed in
      if let passed { output.value = passed }
    }
  }
}
