import TestSupport
import XCTest

@testable import AsyncChannels
@testable import AsyncChannelsRecording

/// C86g: what is left of a recording when its program has crashed.
final class CrashReportTests: XCTestCase {
  private let file = NSTemporaryDirectory() + "AsyncChannels-\(UUID().uuidString)"

  override func tearDown() { unlink(file) }

  func test_C86g_aProgramThatIsKilledLeavesItsLastEventsAndStates() async throws {
    let environment = ProcessInfo.processInfo.environment
    let path = environment["CRASH_REPORT"] ?? file
    setenv("CRASH_REPORT", path, 1)
    defer { unsetenv("CRASH_REPORT") }
    try await assertTraps("trap", saying: "the end") {
      let (numbers, state) = (Channel<Int>(), CurrentValue("first"))
      let recording = Recording()
      recording.add(numbers, as: "numbers")
      recording.add(state, as: "state")
      try recording.keepCrashReport(in: path, kilobytes: 8)
      for number in 0..<2_000 { numbers.send(number) }
      state.update { $0 = "last" }
      fatalError("the end")
    }
    let report = try XCTUnwrap(Recording.crashReport(in: path))
    XCTAssertTrue(report.hasPrefix("1 states\n  state  \"last\"\nthe last "), report)
    let lines = report.split(separator: "\n").map(String.init)
    XCTAssertTrue(lines.last?.hasSuffix(" ms state sent 2000 \"last\"") ?? false, report)
    // None is missing among the last, and none is cut.
    let numbers = lines.dropFirst(3).dropLast().compactMap { line in
      line.wholeMatch(of: /\ \ [0-9.]+ ms numbers sent (\d+) (\d+)/).flatMap { Int($0.2) }
    }
    XCTAssertEqual(numbers.count, lines.count - 4, report)
    XCTAssertGreaterThan(numbers.count, 60)
    XCTAssertEqual(numbers, Array((numbers.first ?? 0)..<2_000))
    let recording = Recording()
    XCTAssertEqual(try recording.keepCrashReport(in: path), report)
    unlink(path)
  }

  func test_C86g_itIsOfABoundedSize() async throws {
    let recording = Recording()
    let states = (0..<100).map { CurrentValue(String(repeating: "\($0) ", count: 90)) }
    for (number, state) in states.enumerated() { recording.add(state, as: "state\(number)") }
    let channel = Channel<String>()
    recording.add(channel, as: "wide")
    try recording.keepCrashReport(in: file, kilobytes: 4)
    for _ in 0..<10 { channel.send(String(repeating: "👩‍👩‍👧‍👦", count: 300)) }
    let reports = [
      recording.crashReport(kilobytes: 4), try XCTUnwrap(Recording.crashReport(in: file)),
    ]
    for report in reports {
      XCTAssertLessThanOrEqual(report.utf8.count, 4_096 + 200)
      XCTAssertTrue(report.contains("wide sent"), report)
    }
    XCTAssertTrue(reports[0].hasPrefix("100 states, of which there is room for "), reports[0])
    XCTAssertEqual(try Data(contentsOf: URL(filePath: file)).count, 4_096)
  }

  func test_C86g_aFileThatIsNoneOrCannotBeWrittenIsSaidToBe() {
    XCTAssertNil(Recording.crashReport(in: "/nowhere"))
    XCTAssertNil(Recording.crashReport(in: CommandLine.arguments[0]))
    XCTAssertThrowsError(try Recording().keepCrashReport(in: "/nowhere/file")) { error in
      XCTAssertEqual("\(error)", "The crash report /nowhere/file cannot be written.")
    }
  }

  func test_C86g_aSizeThatMakesNoSenseTraps() async throws {
    try await assertTraps("small", saying: "A crash report cannot have 3 kilobytes") {
      try Recording().keepCrashReport(in: "/nowhere", kilobytes: 3)
    }
  }
}
