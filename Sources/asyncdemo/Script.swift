/// Lines that the program types itself, shown as if somebody had typed them.
final class Script: LineSource {
  private var lines: ArraySlice<String>
  private let console: Console

  init(_ lines: [String], echo console: Console) {
    self.lines = lines[...]
    self.console = console
  }

  func next(prompt: String, isSecret: Bool) async throws -> InputLine? {
    guard let line = lines.popFirst() else { return nil }
    try console.write(prompt + (isSecret ? "" : line) + "\n")
    return .text(line)
  }
}
