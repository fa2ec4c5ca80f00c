import Foundation
import TestSupport
import XCTest

/// The workout, the text filter and the profile, each fed line by line.
final class LineDemosTests: XCTestCase {
  func test_everyLineIsAnExerciseDone() throws {
    try assertDemo(
      "workout", given: "squats\n\n  \nlast".utf8,
      prints: """
        Exercises done: 0
        Exercises done: 1
        Exercises done: 2
        Exercises done: 3
        Exercises done: 4

        """)
  }

  func test_theFiltersOutputIsShownWhenItChanges() throws {
    let lines = [
      "n", "ne", "new", "news", "news", "new", "news", "newt", "", "abc",
      "e\u{301}e\u{301}e\u{301}",
      "👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧", "もしもn", "もしもの",
    ]
    try assertDemo(
      "filter", given: lines.joined(separator: "\n").utf8,
      prints: """
        Output: news
        Output: newt
        Output: 👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧
        Output: もしもn
        Output: もしもの

        """)
  }

  func test_whatWouldTurnATextAroundIsWrittenOut() throws {
    let lines = [
      "user\u{202E}nimda", "\u{2066}abc\u{2069}", "a\u{200F}bcd", "\u{FEFF}abc",
      "मीम\u{200D}कक\u{200C}ष", "👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧",
      "wave 🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
    ]
    let shown = [
      "user\\u{202E}nimda", "\\u{2066}abc\\u{2069}", "a\\u{200F}bcd", "\\u{FEFF}abc",
    ]
    try assertDemo(
      "filter", given: lines.joined(separator: "\n").utf8,
      prints: (shown + lines[4...]).map { "Output: \($0)\n" }.joined())
  }

  func test_eachStateOfTheProfileIsShown() throws {
    let states = [
      "User 1: Ann", "User 1: Ann", "Failed: there is no user 7", "User 3: Cy", "User 2: Bob",
      "Failed: there is no user -1", "Failed: there is no user -1",
    ]
    try assertDemo(
      "profile", given: "1\n\n7\n 3 \n+2\n-1\n\n".utf8,
      prints: states.map { "Loading …\n\($0)\n" }.joined())
  }

  func test_whatIsNoUsersNumberGetsOneLine() throws {
    let bad = ["", "x", "1e3", "0x1", "①", "99999999999999999999", "1 2", "1.0", "--1", "１"]
    let complaints = bad.map { "a user has a number, not \"\($0)\"\n" }.joined()
    try assertDemo(
      "profile", given: (bad + ["1"]).joined(separator: "\n").utf8,
      prints: complaints + "Loading …\nUser 1: Ann\n")
    let extreme = "9223372036854775807\n-9223372036854775808\n9223372036854775808\n"
    try assertDemo(
      "profile", given: extreme.utf8,
      prints: """
        Loading …
        Failed: there is no user 9223372036854775807
        Loading …
        Failed: there is no user -9223372036854775808
        a user has a number, not "9223372036854775808"

        """)
  }

  func test_theSameInputGivesTheSameOutputEveryTime() throws {
    for (demo, lines) in [
      ("workout", (0..<200).map { "exercise \($0)" }),
      ("filter", (0..<200).map { "text \($0 % 9 == 0 ? $0 : 0)" }),
      ("profile", (0..<200).map { "\($0 % 5)" }),
      ("auth", (0..<100).flatMap { ["iankeen", $0 % 3 == 0 ? "super_secret_password" : "x"] }),
    ] {
      let input = Data(lines.joined(separator: "\n").utf8)
      let times = Length.isFull ? 21 : 2
      let programs = try Program.runEach(Array(repeating: [demo], count: times), input: input)
      XCTAssertEqual(programs[0].status, 0)
      XCTAssertGreaterThan(programs[0].output.filter { $0 == "\n" }.count, 20, demo)
      for program in programs { XCTAssertEqual(program.output, programs[0].output, demo) }
    }
  }

  func test_hostileBytesNeitherCrashNorReachTheTerminal() throws {
    var input = Data("1\nnul\0nul\n\u{1B}[31mred\n\u{1B}[\n\u{1B}\n\u{1B}]0;title\u{7}\n".utf8)
    input += Data("a\rb\u{85}c\u{2028}d\u{2029}e\u{9B}31m\nhidden\u{8}\u{8}\n".utf8)
    input += Data([
      0xFF, 0xFE, 0x0A, 0xC3, 0x0A, 0xED, 0xA0, 0x80, 0x0A, 0xF4, 0x90, 0x80, 0x80, 0x0A,
    ])
    input += Data(repeating: UInt8(ascii: "7"), count: 1_100_000) + Data([0x0A])
    input += Data(repeating: 0, count: 10_000) + Data([0x0A])
    input += Data("no end \u{1B}[".utf8)
    let demos = ["auth", "workout", "filter", "profile", "members"]
    for (demo, program) in zip(demos, try Program.runEach(demos.map { [$0] }, input: input)) {
      XCTAssertEqual(program.status, 0, demo)
      XCTAssertEqual(program.errors, "", demo)
      let commands = program.output.unicodeScalars.filter { scalar in
        scalar != "\n"
          && [.control, .lineSeparator, .paragraphSeparator].contains(
            scalar.properties.generalCategory)
      }
      XCTAssertEqual(commands.count, 0, demo)
      let lines = program.output.split(separator: "\n")
      let notText = lines.filter { $0 == "a line is not valid UTF-8; it was ignored" }
      XCTAssertEqual(notText.count, 4, demo)
      let tooLong = lines.filter { $0 == "a line is longer than 1048576 bytes; it was ignored" }
      XCTAssertEqual(tooLong.count, 1, demo)
    }
  }

  func test_helpIsAnsweredForEach() throws {
    let all = try Program.run("--help").output
    for (demo, word) in [
      ("auth", "--url URL"), ("workout", "exercise"), ("filter", "three characters"),
      ("profile", "users 1, 2 and 3"), ("members", "remove ID"),
    ] {
      for program in try Program.runEach([[demo, "--help"], [demo, "-h"]]) {
        XCTAssertTrue(program.output.hasPrefix("usage: asyncdemo \(demo)"), program.output)
        XCTAssertTrue(program.output.contains(word), demo)
        XCTAssertEqual(program.errors, "")
        XCTAssertEqual(program.status, 0)
      }
      XCTAssertTrue(all.contains("  \(demo) "), demo)
    }
  }

  func test_unknownArgumentsAreUsageErrors() throws {
    for (number, demo) in ["auth", "workout", "filter", "profile", "members"].enumerated() {
      let arguments = Length.sample(["bogus", "--bogus", "", "\u{1B}[31m"], number, of: 4)
      let programs = try Program.runEach(arguments.map { [demo, $0] }, input: Data("1\n".utf8))
      for (argument, program) in zip(arguments, programs) {
        XCTAssertEqual(program.status, 64, "\(demo) \(argument)")
        XCTAssertEqual(program.output, "")
        XCTAssertTrue(program.errors.hasPrefix("asyncdemo: '\(demo)' takes no argument \""))
        XCTAssertFalse(program.errors.contains("\u{1B}"))
      }
    }
    let words = ["Auth", "tour", "-x", ""]
    XCTAssertEqual(try Program.runEach(words.map { [$0] }).map(\.status), words.map { _ in 64 })
  }
}
