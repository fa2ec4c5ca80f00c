import Dispatch
import Synchronization

/// The lines of standard input, read when they are asked for.
///
/// Reading blocks, and so happens on a queue of its own, not on the threads that tasks share. A
/// line is read only on demand, so that input of any length takes little memory.
final class StandardInput: LineSource {
  private let queue = DispatchQueue(label: "asyncdemo.standard-input")
  private let splitter = Mutex(LineSplitter { try readDescriptor(0, into: $0) })
  private let console: Console
  private let prompts: Bool

  /// - Parameter console: Where to prompt, if both it and the input are a terminal.
  init(promptingOn console: Console) {
    self.console = console
    prompts = console.isTerminal && isTerminal(0)
  }

  func next() async throws -> InputLine? {
    if prompts { try console.write("> ") }
    let line = try await withCheckedThrowingContinuation { continuation in
      queue.async {
        continuation.resume(with: Result { try self.splitter.withLock { try $0.next() } })
      }
    }
    // The line after the prompt that nobody answered.
    if prompts, line == nil { try console.write("\n") }
    return line
  }
}
