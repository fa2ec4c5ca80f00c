import Foundation
import XCTest

/// Each sentence of the contract has a test that carries its number: in its name (`test_C…_`, as many
/// numbers as it checks), or in a comment in its body that begins with it. No other number is in the
/// name of a test or in a comment.
final class ContractTests: XCTestCase {
  func test_eachSentenceHasATestAndEachNumberASentence() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let contract = root.appending(path: "Sources/AsyncChannels/AsyncChannels.docc/Contract.md")
    let tests = try lines(under: root.appending(path: "Tests"))
    let measures = try ["Verification/Sources", "Benchmarks/Sources"].flatMap {
      try lines(under: root.appending(path: $0))
    }
    let sentences = try String(contentsOf: contract, encoding: .utf8).components(separatedBy: "\n")
    XCTAssertEqual(problems(sentences, tests: tests, measures: measures), [])
  }

  func test_whatIsMissingStrayOrNumberedWronglyIsFound() {
    let two = [1, 2].map { "- **C\($0)** A sentence." }
    let first = "  func test_C\(1)_aStory() {"
    let second = "    // C\(2): also this."
    XCTAssertEqual(problems(two, tests: [first, second]), [])
    XCTAssertEqual(problems(two, tests: ["func test_C\(1)_C\(2)_both() {"]), [])
    XCTAssertEqual(problems(two, tests: [first]), ["no test carries the number of C2"])
    for remark in ["/// C\(2).", "  // C\(2) is elsewhere.", "    f(0xC\(2))  // not 0xC\(2)"] {
      XCTAssertEqual(
        problems(two, tests: [first, remark]), ["no test carries the number of C2"], remark)
    }
    for stray in ["func test_C\(1)_C\(3)_x() {", "    f()  // C\(1), C\(3)", "/// C\(1) to C\(3)"] {
      let found = ["there is no C3: \(stray)"]
      XCTAssertEqual(problems(two, tests: [first, second, stray]), found)
      XCTAssertEqual(problems(two, tests: [first, second], measures: [stray]), found)
    }
    for wrong in [
      "- **C4** A gap.", "- **C2** Once more.", "- C3 No bold.", "* **C3** x", "- **C3** ",
    ] {
      XCTAssertEqual(
        problems(two + [wrong], tests: [first, second]).first, "not numbered as C3: \(wrong)")
    }
    XCTAssertEqual(problems(["# The contract"], tests: [first]).first, "there are no sentences")
  }

  private func problems(
    _ contract: [String], tests: [String], measures: [String] = []
  ) -> [String] {
    var problems: [String] = []
    var count = 0
    for line in contract where line.contains(/^[-*] *\**C\d/) {
      count += 1
      if line.firstMatch(of: /^- \*\*C(\d+)\*\* +\S/)?.1 != "\(count)" {
        problems.append("not numbered as C\(count): \(line)")
      }
    }
    guard count > 0 else { return ["there are no sentences"] }
    let carried = Set(
      tests.flatMap { numbers($0, in: names) + numbers($0, in: /^ {4,}\/\/ (C\d.*)/) })
    problems += Set(1...count).subtracting(carried).sorted().map {
      "no test carries the number of C\($0)"
    }
    for line in tests + measures {
      let strays = (numbers(line, in: names) + numbers(line, in: /(?:^|\s)\/\/(.*)/))
        .filter { !(1...count).contains($0) }
      problems += strays.map { "there is no C\($0): \(line)" }
    }
    return problems
  }

  private var names: Regex<(Substring, Substring)> { /func test((?:_C\d+)+)_/ }

  private func numbers(_ line: String, in part: Regex<(Substring, Substring)>) -> [Int] {
    guard let part = line.firstMatch(of: part)?.1 else { return [] }
    // In a name, underscores separate; elsewhere they make it another word.
    return part.matches(of: /(?:^|[^A-Za-z0-9])C(\d+)(?![A-Za-z0-9])/).compactMap { Int($0.1) }
  }

  /// Those with a comment or a test's name: a regular expression takes its time.
  private func lines(under folder: URL) throws -> [String] {
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".swift") }
    XCTAssertFalse(files.isEmpty, "there is nothing under \(folder.path)")
    return try files.sorted().flatMap {
      try String(contentsOf: folder.appending(path: $0), encoding: .utf8)
        .components(separatedBy: "\n")
        .filter { $0.contains("C") && ($0.contains("//") || $0.contains("func test")) }
    }
  }
}
