import AsyncViewModels
import TestSupport
import XCTest

/// Answers that go on after they have passed the limit.
final class HTTPAnswerLimitTests: XCTestCase {
  /// Foundation on Linux cannot close a connection while more comes in than it can read.
  func test_anEndlessAnswerIsRefusedAndTheConnectionClosedAtItsFirstPause() async throws {
    let server = try await server()
    for _ in 0..<Length.rounds(10) {
      await expectRefusal(by: server, "flood/\(128 << 20)")
      let events = [try await server.nextEvent().event, try await server.nextEvent().event]
      XCTAssertEqual(events, ["request", "gone"])
    }
  }

  func test_aMuchLargerAnswerIsRefused() async throws {
    let server = try await server()
    for _ in 0..<Length.rounds(20) { await expectRefusal(by: server, "size/\(8 << 20)") }
  }

  /// The piece that passes the limit is left out; the piece after it would fit, and must not make
  /// an acceptable answer of the rest.
  func test_anAnswerThatPassedTheLimitStaysRefused() async throws {
    let server = try await server()
    for _ in 0..<10 { await expectRefusal(by: server, "tail") }
  }

  private func expectRefusal(
    by server: LoopbackServer, _ path: String, line: UInt = #line
  ) async {
    let result = await HTTPAuthenticator(url: server.url(path)).attempt()
    XCTAssertEqual(result, .failure(.badAnswer("it is larger than 1048576 bytes.")), line: line)
  }
}
