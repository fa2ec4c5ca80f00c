import Foundation
import TestSupport
import XCTest

final class MembersDemoTests: XCTestCase {
  func test_eachCommandsEffectIsShownBeforeTheNextLineIsTaken() throws {
    let input = "add Ann\nadd Bob\nremove 1\nadd invalid name\nadd Cy\n"
    try assertDemo(
      "members", given: input.utf8,
      prints: """
        Number of members: 0
        Number of members: 1
          1  Ann
        Number of members: 2
          1  Ann
          2  Bob
        Number of members: 1
          2  Bob
        "invalid name" is not a valid name; nothing was added
        Number of members: 2
          2  Bob
          3  Cy

        """)
  }

  func test_theSameInputGivesTheSameOutputEveryTime() throws {
    let names = (0..<50).map { "add member \($0)\nremove \($0)\n" }.joined()
    let input = Data((names + "reset\nadd last\nlist\n").utf8)
    let first = try Program.run("members", input: input).output
    XCTAssertTrue(first.hasSuffix("Number of members: 1\n  51  last\n"))
    for _ in 0..<Length.rounds(20) {
      XCTAssertEqual(try Program.run("members", input: input).output, first)
    }
  }

  func test_badLinesGetOneLineEachAndChangeNothing() throws {
    let input = "remove 9\nremove x\nremove\nadd\nfrob\nlist all\nADD Ann\n\n   \nquit\nadd Late\n"
    try assertDemo(
      "members", given: input.utf8,
      prints: """
        Number of members: 0
        there is no member 9
        'remove' takes a member's number, not "x"
        'remove' takes a member's number, not ""
        "" is not a valid name; nothing was added
        there is no command "frob"; 'help' lists them
        'list' takes nothing after it
        there is no command "ADD"; 'help' lists them

        """)
  }

  func test_hostileBytesNeitherCrashNorReachTheTerminal() throws {
    var input = Data("add \u{1B}[31mred\nadd a\0b\n".utf8)
    input += Data([0xFF, 0xFE, 0x0A])
    input += Data(repeating: UInt8(ascii: "x"), count: 1_100_000) + Data([0x0A])
    input += Data("add no end".utf8)
    let program = try Program.run("members", input: input)
    XCTAssertEqual(program.status, 0)
    XCTAssertFalse(program.output.unicodeScalars.contains { $0.value < 32 && $0 != "\n" })
    XCTAssertTrue(program.output.contains("a line is not valid UTF-8; it was ignored\n"))
    XCTAssertTrue(program.output.contains("a line is longer than 1048576 bytes; it was ignored\n"))
    XCTAssertTrue(
      program.output.hasSuffix(
        "Number of members: 3\n  1  \\u{1B}[31mred\n  2  a\\0b\n  3  no end\n"))
  }

  func test_helpAndVersionAreAnswered() throws {
    XCTAssertTrue(try Program.run("--help").output.hasPrefix("usage: asyncdemo"))
    XCTAssertTrue(try Program.run("members", "--help").output.contains("remove ID"))
    XCTAssertTrue(try Program.run("--version").output.hasPrefix("asyncdemo "))
  }

  func test_anUnknownArgumentGetsTheUsageOnStandardError() throws {
    for arguments in [["bogus"], ["--bogus"], ["members", "bogus"]] {
      let program =
        arguments.count == 1
        ? try Program.run(arguments[0]) : try Program.run(arguments[0], arguments[1])
      XCTAssertEqual(program.status, 64)
      XCTAssertEqual(program.output, "")
      XCTAssertTrue(program.errors.contains("\"bogus\"") || program.errors.contains("\"--bogus\""))
      XCTAssertTrue(program.errors.contains("usage: asyncdemo"))
    }
  }
}
