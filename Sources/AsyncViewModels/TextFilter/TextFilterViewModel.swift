public import AsyncChannels
public import Observation

/// A text field whose longer texts go out.
public protocol TextFilterViewModelType: ViewModel {
  /// Input: what is in the field.
  var inputText: Inlet<String> { get }

  /// The last text that passed the filter.
  var outputText: String { get }

  /// Output: the same, as it is and as it changes.
  var outputTextOutlet: Outlet<String> { get }

  /// For the field: reads the output, writes to the input.
  var text: SplitBinding<String> { get }
}

/// Passes on the texts of more than three characters.
///
/// Nobody who follows the output is told of a shorter one. The field itself is bound to ``text``,
/// and so shows every text from the moment in which it is typed; a late output never overwrites
/// newer typing.
@MainActor
public final class TextFilterViewModel: TextFilterViewModelType, Observable {
  @Input public var inputText: Inlet<String>
  @CurrentValue public private(set) var outputText = ""
  public let text: SplitBinding<String>
  public var outputTextOutlet: Outlet<String> { $outputText }

  private let passes: @Sendable (String) async -> Bool

  /// - Parameter passes: Which texts go out; those of more than three characters if not said
  ///   otherwise. Texts are asked about one after the other.
  public init(
    passing passes: @escaping @Sendable (String) async -> Bool = { $0.count > 3 }
  ) {
    self.passes = passes
    text = SplitBinding(reading: _outputText, writing: _inputText.inlet)
  }

  public func run() async {
    for await text in _inputText.received {
      if await passes(text) { outputText = text }
    }
  }
}
