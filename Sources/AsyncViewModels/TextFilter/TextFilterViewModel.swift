public import AsyncChannels
public import Observation

/// Passes on the texts of more than three characters.
///
/// Nobody who follows the output is told of a shorter one. The field itself is bound to ``text``,
/// and so shows every text from the moment in which it is typed; a late output never overwrites
/// newer typing.
@MainActor
public final class TextFilterViewModel: TextFilterViewModelType, Observable {
  @Input public var inputText: Inlet<String>
  @CurrentValue public private(set) var outputText = ""
  @CurrentValue public private(set) var isFiltering = false
  public var outputTextOutlet: Outlet<String> { $outputText }
  public var isFilteringOutlet: Outlet<Bool> { $isFiltering }
  public let text: SplitBinding<String>

  private let passes: @Sendable (String) async -> Bool

  /// - Parameter passes: Which texts go out; those of more than three characters if not said
  ///   otherwise. Texts are asked about one after the other.
  public init(passing passes: @escaping @Sendable (String) async -> Bool = { $0.count > 3 }) {
    self.passes = passes
    text = SplitBinding(reading: _outputText, writing: _inputText.inlet)
  }

  public func run() async {
    let passes = passes
    let output = _outputText
    await _inputText.received.answer(busy: _isFiltering.inlet) { text in
      await passes(text) ? text : nil
    } publish: { passed in
      if let passed { output.value = passed }
    }
  }
}
