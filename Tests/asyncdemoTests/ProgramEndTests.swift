import Foundation
import XCTest

/// How the program ends when it is not its input that ends.
final class ProgramEndTests: XCTestCase {
  func test_interruptingItEndsItWith130() throws {
    let (process, input, output) = try start()
    try read(output, upTo: "Number of members: 0\n")
    process.interrupt()
    XCTAssertEqual(try status(of: process), 130)
    try input.close()
  }

  func test_itEndsCleanlyWhenNobodyReadsItsOutputAnyMore() throws {
    let (process, input, output) = try start()
    try read(output, upTo: "Number of members: 0\n")
    try output.close()
    try input.write(contentsOf: Data("add Ann\n".utf8))
    XCTAssertEqual(try status(of: process), 0)
  }

  func test_itSaysSoWhenItsOutputCannotBeWritten() throws {
    let full = try XCTUnwrap(FileHandle(forWritingAtPath: "/dev/full"), "there is no /dev/full")
    let process = program()
    let errors = Pipe()
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = full
    process.standardError = errors
    try process.run()
    XCTAssertEqual(try status(of: process), 74)
    let sentence = String(
      decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    XCTAssertTrue(sentence.hasPrefix("asyncdemo: cannot write: "), sentence)
  }

  func test_onATerminalThereIsAPromptAndTheCountIsBold() throws {
    let (user, device) = try openTerminal()
    let process = program()
    process.standardInput = device
    process.standardOutput = device
    try process.run()
    try read(user, upTo: "\u{1B}[1mNumber of members: 0\u{1B}[0m\r\n> ")
    try user.write(contentsOf: Data("add Ann\n".utf8))
    try read(user, upTo: "\u{1B}[1mNumber of members: 1\u{1B}[0m\r\n  1  Ann\r\n> ")
    try user.write(contentsOf: Data([4]))  // the terminal's end of input
    XCTAssertEqual(try status(of: process), 0)
  }

  /// A pseudo terminal: the user's side of it, and the program's.
  private func openTerminal() throws -> (user: FileHandle, device: FileHandle) {
    #if os(Linux)
      // `posix_openpt` and its like are not in the Glibc module, nor are these two requests.
      let (unlock, number): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
      let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY)
      var locked: CInt = 0
      var index: CInt = 0
      guard ioctl(terminal, unlock, &locked) == 0, ioctl(terminal, number, &index) == 0 else {
        throw XCTSkip("there is no pseudo terminal here")
      }
      let device = try XCTUnwrap(FileHandle(forUpdatingAtPath: "/dev/pts/\(index)"))
      return (FileHandle(fileDescriptor: terminal, closeOnDealloc: true), device)
    #else
      throw XCTSkip("only Linux's pseudo terminals are tried")
    #endif
  }

  private func program() -> Process {
    let process = Process()
    process.executableURL = Program.executable
    process.arguments = ["members"]
    return process
  }

  private func start() throws -> (Process, input: FileHandle, output: FileHandle) {
    let process = program()
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    return (process, input.fileHandleForWriting, output.fileHandleForReading)
  }

  /// As a shell sees it. Kills a program that does not end.
  private func status(of process: Process, limit: Double = 20) throws -> Int32 {
    let watchdog = DispatchWorkItem { kill(process.processIdentifier, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + limit, execute: watchdog)
    process.waitUntilExit()
    watchdog.cancel()
    let isExit = process.terminationReason == .exit
    return isExit ? process.terminationStatus : 128 + process.terminationStatus
  }

  /// Reads until the text has come. The program's end, or its being killed, ends this too.
  private func read(_ output: FileHandle, upTo text: String) throws {
    var seen = Data()
    while !seen.contains(Data(text.utf8)) {
      guard let part = try output.read(upToCount: 1), !part.isEmpty else {
        return XCTFail("the output ended after \(String(decoding: seen, as: UTF8.self))")
      }
      seen += part
    }
  }
}

extension Data {
  fileprivate func contains(_ part: Data) -> Bool { range(of: part) != nil }
}
