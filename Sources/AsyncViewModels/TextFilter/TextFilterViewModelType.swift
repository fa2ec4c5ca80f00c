public import AsyncChannels

/// A text field whose longer texts go out.
public protocol TextFilterViewModelType: ViewModel {
  /// Input: what is in the field.
  var inputText: Inlet<String> { get }

  /// The last text that passed the filter.
  var outputText: String { get }

  /// Output: the same, as it is and as it changes.
  var outputTextOutlet: Outlet<String> { get }

  /// Whether a text is being looked at. False by the time an output is published.
  var isFiltering: Bool { get }

  /// Output: the same, as it is and as it changes: twice for each text.
  var isFilteringOutlet: Outlet<Bool> { get }

  /// For the field: reads the output, writes to the input.
  var text: SplitBinding<String> { get }
}
