import Foundation
import XCTest

/// Each promise of the contract has a test that carries its number: in its name (`test_C…_`, as many
/// numbers as it checks), or in a comment in its body that begins with it. A promise with several claims
/// has a letter for each (C51a, C51b), and each letter has a test; the number alone means all of them and
/// carries none. No other number is in the name of a test or in a comment. Numbers ascend; a number that is no
/// longer promised leaves a gap.
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
    for wrong in ["- **C2** Once more.", "- C3 No bold.", "* **C3** x", "- **C3** "] {
      XCTAssertEqual(
        problems(two + [wrong], tests: [first, second]).first, "not numbered after C2: \(wrong)")
    }
    XCTAssertEqual(
      problems(two + ["- **C4** A gap."], tests: [first, second, "func test_C\(4)_x() {"]), [])
    XCTAssertEqual(problems(["# The contract"], tests: [first]).first, "there are no sentences")
  }

  func test_eachLetterOfANumberHasATestOfItsOwn() {
    let lettered = ["- **C1a** One claim.", "- **C1b** Another.", "- **C2** A sentence."]
    let tests = ["func test_C\(1)a_C\(2)_x() {", "    // C\(1)b: also this."]
    XCTAssertEqual(problems(lettered, tests: tests), [])
    // The number alone may be named, and stands for no letter.
    XCTAssertEqual(problems(lettered, tests: tests + ["/// C\(1)."]), [])
    XCTAssertEqual(
      problems(lettered, tests: [tests[0], "func test_C\(1)_y() {"]),
      ["no test carries the number of C1b"])
    let stray = "func test_C\(1)c_x() {"
    XCTAssertEqual(problems(lettered, tests: tests + [stray]), ["there is no C1c: \(stray)"])
    for wrong in ["C1b", "C1a", "C1", "C0"] {
      let line = "- **\(wrong)** x"
      XCTAssertEqual(
        problems(Array(lettered.prefix(2)) + [line], tests: tests).first,
        "not numbered after C1b: \(line)")
    }
  }

  private func problems(
    _ contract: [String], tests: [String], measures: [String] = []
  ) -> [String] {
    var problems: [String] = []
    var known: [Number] = []
    for line in contract where line.contains(/^[-*] *\**C\d/) {
      let last = known.last ?? Number(0)
      let found = line.firstMatch(of: /^- \*\*C(\d+)([a-z]?)\*\* +\S/)
        .flatMap { Number($0.1, $0.2) }
      if let found, found.comes(after: last) {
        known.append(found)
      } else {
        problems.append("not numbered after \(last): \(line)")
      }
    }
    guard !known.isEmpty else { return ["there are no sentences"] }
    let carried = Set(
      tests.flatMap { numbers($0, in: names) + numbers($0, in: commentInBody) })
    problems += known.filter { !carried.contains($0) }.map {
      "no test carries the number of \($0)"
    }
    let mentioned = Set(known + known.map { Number($0.number) })
    for line in tests + measures {
      let strays = (numbers(line, in: names) + numbers(line, in: comment))
        .filter { !mentioned.contains($0) }
      problems += strays.map { "there is no \($0): \(line)" }
    }
    return problems
  }

  // Made once: making one takes longer than using it.
  private let names = /func test((?:_C\d+[a-z]?)+)_/
  private let commentInBody = /^ {4,}\/\/ (C\d.*)/
  private let comment = /(?:^|\s)\/\/(.*)/
  private let number = /(?:^|[^A-Za-z0-9])C(\d+)([a-z]?)(?![A-Za-z0-9])/

  private func numbers(_ line: String, in part: Regex<(Substring, Substring)>) -> [Number] {
    guard let part = line.firstMatch(of: part)?.1 else { return [] }
    // In a name, underscores separate; elsewhere they make it another word.
    return part.matches(of: number)
      .compactMap { Number($0.1, $0.2) }
  }

  /// Those with a number in a comment or in a test's name. Only for them it takes Swift's expressions, which are slow.
  private func lines(under folder: URL) throws -> [String] {
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".swift") }
    XCTAssertFalse(files.isEmpty, "there is nothing under \(folder.path)")
    let numbered = try NSRegularExpression(pattern: #"(?m)^.*(?://|func test).*C\d.*$"#)
    return try files.sorted().flatMap { file in
      let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
      return numbered.matches(in: text, range: NSRange(text.startIndex..., in: text))
        .compactMap { Range($0.range, in: text).map { String(text[$0]) } }
    }
  }
}

/// A promise's number, and the letter of one of its claims.
private struct Number: Hashable, CustomStringConvertible {
  let number: Int
  let letter: String

  init(_ number: Int, _ letter: String = "") {
    (self.number, self.letter) = (number, letter)
  }

  init?(_ number: Substring, _ letter: Substring) {
    guard let number = Int(number) else { return nil }
    self.init(number, String(letter))
  }

  var description: String { "C\(number)\(letter)" }

  /// Whether it may be the number of a promise that comes after another.
  func comes(after other: Number) -> Bool {
    number > other.number
      || number == other.number && !other.letter.isEmpty && letter > other.letter
  }
}
