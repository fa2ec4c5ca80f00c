import Foundation
import TestSupport
import XCTest

/// On any input a demo ends, says the same each time, and shows no password and no control character.
final class RandomInputTests: XCTestCase {
  private static let secrets = ["super_secret_password", "0ther-pa55-phr4se"]
  /// So much of one is more than chance.
  private static let parts = secrets.flatMap { secret in
    secret.indices.map { secret[$0...].prefix(12) }.filter { $0.count == 12 }
  }
  private static let words = [
    "members": [
      "add Ann", "add もしも", "add INVALID NAME", "remove 1", "remove -1", "reset", "list",
      "\tquit now",
    ],
    "auth": ["iankeen", "wrong", " Iankeen"] + secrets,
    "workout": ["squats", "もしも"],
    "filter": ["ne", "new", "news", "Zoëë", "    "],
    "profile": ["1", "7", "-1", " 3 ", "\t1\r", "9223372036854775808", "１"],
  ]
  /// Escape sequences, line ends of other systems, and what is not UTF-8.
  private static let odd: [[UInt8]] = [
    [0], [0x0D], [0x1B, 0x5B], [0x1B, 0x5D, 0x30, 0x3B], [0xC2, 0x9B], [0xFF], [0xE3, 0x82],
    [0xED, 0xA0, 0x80],
    [0xF4, 0x90, 0x80, 0x80], Array("\u{202E}dcba\u{2028}".utf8), Array("e\u{301}👩‍👩‍👧".utf8),
  ]

  func test_onRandomInputADemoEndsAndShowsNoSecret() throws {
    for _ in 0..<Length.rounds(400) {
      let seed = UInt64.random(in: 0..<1 << 32)
      var random = SplitMix64(seed: seed)
      for (demo, words) in Self.words.sorted(by: { $0.key < $1.key }) {
        let input = Data(Self.input(words, &random))
        let programs = try Program.runEach([[demo], [demo]], input: input)
        let program = programs[0]
        let told = "\(demo), seed \(seed), input \(Array(input.prefix(500)))"
        XCTAssertEqual(program.status, 0, told)
        XCTAssertEqual(program.errors, "", told)
        XCTAssertEqual(program.output, programs[1].output, told)
        XCTAssertTrue(program.output.isEmpty || program.output.hasSuffix("\n"), told)
        XCTAssertFalse(program.output.contains("\u{FFFD}"), "not UTF-8: \(told)")
        XCTAssertFalse(Self.parts.contains { program.output.contains($0) }, told)
        let controls = Array(program.output.unicodeScalars).filter {
          $0 != "\n"
            && [.control, .lineSeparator, .paragraphSeparator].contains(
              $0.properties.generalCategory)
        }
        XCTAssertEqual(controls, [], told)
      }
    }
  }

  private static func input(_ words: [String], _ random: inout SplitMix64) -> [UInt8] {
    var input: [UInt8] = []
    for _ in 0..<random.pick([0, 1, 3, 8, 40]) {
      if !random.oneIn(3) { input += Array(random.pick(words).utf8) }
      if random.oneIn(3) { input += random.pick(odd) }
      if random.oneIn(6) {
        input += (0..<random.number(0...60)).map { _ in UInt8(random.number(0...255)) }
      }
      if random.oneIn(200) {
        input += Array(
          repeating: random.pick([7, 0x78, 0xFF]),
          count: random.pick([1 << 16, 1 << 20]) + random.number(-1...1))
      }
      input += random.pick([[0x0A], [0x0A], [0x0A], [0x0D, 0x0A], [0x0A, 0x0A]])
    }
    if random.oneIn(3), !input.isEmpty { input.removeLast() }
    return input
  }
}
