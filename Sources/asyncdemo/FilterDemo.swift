import AsyncChannelsRecording
import AsyncChannelsRunning
import AsyncViewModels

/// A text field: every line is its new text, and what passes the filter is shown.
struct FilterDemo: Demo {
  static let name = "filter"
  static let summary = "every line is the field's new text; shows the output when it changes"
  static let help = """
    usage: asyncdemo filter

    Every line of standard input is the new text of a field. Texts of more than three characters pass
    the filter. The output is shown when it changes.

    """
  static let script = ["n", "ne", "new", "news", "new", "newt", "newt"]

  private let console: Console
  private let lines: any LineSource
  private let field: TextFilterViewModel
  private let phases: Subscription<Bool>

  init(console: Console, lines: any LineSource, arguments: [String]) throws {
    try UsageError.refuse(arguments, of: Self.self)
    self.console = console
    self.lines = lines
    field = TextFilterViewModel()
    phases = field.isFiltering.subscribe()
  }

  func record(in recording: Recording) async {
    recording.add(field)
  }

  func run() async throws {
    try await withRunning(field) {
      // Not filtering, when it is made.
      _ = await phases.next()
      var shown = field.outputText.value
      while let line = try await lines.next() {
        guard case .text(let text) = line else {
          try console.write((line.problem ?? "") + "\n")
          continue
        }
        // The same text again is not sent, and nothing would come of it.
        if field.text.value == text { continue }
        field.text.value = text
        // Begun and done. The output, if there is one, is published in one step with the latter.
        _ = (await phases.next(), await phases.next())
        if field.outputText.value != shown {
          shown = field.outputText.value
          try console.write(console.bold("Output: \(shown.printable)") + "\n")
        }
      }
    }
  }
}
