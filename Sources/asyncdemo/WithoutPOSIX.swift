#if os(Windows) || os(WASI)
  import Foundation

  #if os(Windows)
    import CRT
  #else
    import WASILibc
  #endif

  // What the demos ask of the operating system, as in POSIX.swift, without what a terminal and signals need: nothing is
  // a terminal here, so there is no prompt, and a signal ends the program at once. This has only been compiled against
  // declarations.

  #if os(Windows)
    func endProcess(_ status: Int32) -> Never { CRT.exit(status) }
  #else
    func endProcess(_ status: Int32) -> Never { WASILibc.exit(status) }
  #endif

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
    #if os(Windows)
      let count = Int(_read(descriptor, buffer.baseAddress, UInt32(buffer.count)))
    #else
      let count = WASILibc.read(descriptor, buffer.baseAddress, buffer.count)
    #endif
    guard count >= 0 else { throw InputError() }
    return count
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
