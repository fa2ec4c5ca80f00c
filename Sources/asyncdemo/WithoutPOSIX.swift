#if os(Windows) || os(WASI)
  import Foundation
  import Synchronization

  // What the demos ask of the operating system, as in POSIX.swift, without what a terminal and signals need: nothing is
  // a terminal here, so there is no prompt, and a signal ends the program at once. This has only been compiled against
  // declarations.

  func endProcess(_ status: Int32) -> Never { exit(status) }

  /// A write that failed.
  struct OutputError: Error {
    let sentence: String? = "cannot write"
    let exitStatus = ExitStatus.inputOutput
  }

  /// A read that failed.
  struct InputError: Error, CustomStringConvertible {
    let description = "cannot read standard input"
  }

  func isTerminal(_ descriptor: Int32) -> Bool { false }

  /// Returns how many bytes were read; zero at the end.
  func readDescriptor(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) throws -> Int
  {
    guard let bytes = try? FileHandle.standardInput.read(upToCount: buffer.count) else {
      throw InputError()
    }
    buffer.copyBytes(from: bytes)
    return bytes.count
  }

  func writeDescriptor(_ descriptor: Int32, _ text: String) throws {
    let file = descriptor == 2 ? FileHandle.standardError : FileHandle.standardOutput
    do { try file.write(contentsOf: Data(text.utf8)) } catch { throw OutputError() }
  }

  final class TerminalEcho: Sendable {
    static let shared = TerminalEcho()

    func hide() {}
    func restore() {}
  }

  enum Signals {
    static func handle() {}
    static func beforeEnding(_ act: @escaping @Sendable () -> Void) {}
    static func unlessEnding(_ act: () throws -> Void) rethrows { try act() }
  }
#endif
