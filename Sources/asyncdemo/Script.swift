import Synchronization

/// Lines that the program types itself, shown as if somebody had typed them.
final class Script: LineSource {
  private let lines: Mutex<ArraySlice<String>>
  private let console: Console

  init(_ lines: [String], echo console: Console) {
    self.lines = Mutex(lines[...])
    self.console = console
  }

  func next() async throws -> InputLine? {
    guard let line = lines.withLock({ $0.popFirst() }) else { return nil }
    try console.write("> \(line)\n")
    return .text(line)
  }
}
