import Foundation
import TestSupport
import XCTest

/// How the program ends when it is not its input that ends.
final class ProgramEndTests: XCTestCase {
  func test_interruptingItEndsItWith130() throws {
    let (process, input, output) = try start()
    try output.read(upTo: "Number of members: 0\n")
    process.interrupt()
    XCTAssertEqual(process.status(), 130)
    try input.close()
  }

  func test_itEndsCleanlyWhenNobodyReadsItsOutputAnyMore() throws {
    let (process, input, output) = try start()
    try output.read(upTo: "Number of members: 0\n")
    try output.close()
    try input.write("add Ann\n")
    XCTAssertEqual(process.status(), 0)
  }

  func test_itSaysSoWhenItsOutputCannotBeWritten() throws {
    let full = try XCTUnwrap(FileHandle(forWritingAtPath: "/dev/full"), "there is no /dev/full")
    let process = Process.program("members")
    let errors = Pipe()
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = full
    process.standardError = errors
    try process.start()
    XCTAssertEqual(process.status(), 74)
    let sentence = String(
      decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    XCTAssertTrue(sentence.hasPrefix("asyncdemo: cannot write: "), sentence)
  }

  func test_aClosedInputIsAnEmptyOne() throws {
    for demo in ["auth", "workout", "filter", "profile", "members"] {
      let empty = try Program.run(demo)
      let closed = try Program.run(demo, closing: "<&-")
      XCTAssertEqual(closed.output, empty.output, demo)
      XCTAssertEqual(closed.errors, "", demo)
      XCTAssertEqual(closed.status, 0, demo)
    }
  }

  func test_writingToAClosedOutputIsAnError() throws {
    for closing in [">&-", "<&- >&-", "<&- >&- 2>&-"] {
      let program = try Program.run("members", closing: closing)
      XCTAssertEqual(program.status, 74, closing)
      XCTAssertEqual(program.output, "")
      let isSaid = program.errors.hasPrefix("asyncdemo: cannot write: ")
      XCTAssertEqual(isSaid, !closing.contains("2>&-"), program.errors)
    }
  }

  func test_onATerminalThereIsAPromptAndTheCountIsBold() throws {
    let terminal = try PseudoTerminal()
    let process = Process.program("members")
    try terminal.start(process)
    try terminal.user.read(upTo: "\u{1B}[1mNumber of members: 0\u{1B}[0m\r\n> ")
    try terminal.user.write("add Ann\n")
    try terminal.user.read(upTo: "\u{1B}[1mNumber of members: 1\u{1B}[0m\r\n  1  Ann\r\n> ")
    try terminal.user.write("\u{4}")  // the terminal's end of input
    XCTAssertEqual(process.status(), 0)
  }

  private func start() throws -> (Process, input: FileHandle, output: FileHandle) {
    let process = Process.program("members")
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    try process.start()
    return (process, input.fileHandleForWriting, output.fileHandleForReading)
  }
}
