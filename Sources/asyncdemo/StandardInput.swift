import Synchronization

#if canImport(Dispatch)
  import Dispatch
#endif

/// The lines of standard input, read when they are asked for.
///
/// Reading blocks, and so happens on a queue of its own, not on the threads that tasks share. A
/// line is read only on demand, so that input of any length takes little memory.
final class StandardInput: LineSource {
  private let reader = Reader()
  private let console: Console
  /// Whether what is typed is shown, unless it is hidden.
  private let isTyped = isTerminal(0)
  private let prompts: Bool

  /// - Parameter console: Where to prompt, if both it and the input are a terminal.
  init(promptingOn console: Console) {
    self.console = console
    prompts = console.isTerminal && isTyped
  }

  func next(prompt: String, isSecret: Bool) async throws -> InputLine? {
    guard isTyped else { return try await reader.next() }
    // Hidden before the prompt is shown: a person who sees the prompt may type.
    if isSecret { TerminalEcho.shared.hide() }
    defer { TerminalEcho.shared.restore() }
    guard prompts else { return try await reader.next() }
    try console.write(prompt)
    let line = try await reader.next()
    // The end of the line that was not seen, or of the prompt that nobody answered.
    if isSecret || line == nil { try console.write("\n") }
    return line
  }
}

private final class Reader: Sendable {
  #if canImport(Dispatch)
    private let queue = DispatchQueue(label: "asyncdemo.standard-input")
  #endif
  private let splitter = Mutex(LineSplitter { try readDescriptor(0, into: $0) })

  func next() async throws -> InputLine? {
    try await withCheckedThrowingContinuation { continuation in
      let read: @Sendable () -> Void = {
        continuation.resume(with: Result { try self.splitter.withLock { try $0.next() } })
      }
      #if canImport(Dispatch)
        queue.async(execute: read)
      #else
        // There is no other thread.
        read()
      #endif
    }
  }
}
