import AsyncViewModels
import Foundation
import TestSupport
import XCTest

/// Cancelling a request before, or while, it begins.
final class HTTPCancellationTests: XCTestCase {
  func test_aTaskThatIsAlreadyCancelledSendsNothing() async throws {
    let server = try await server()
    for attempt in 0..<200 {
      let result = try await result(of: server, cancelledAfter: 0)
      XCTAssertEqual(result, .failure(.cancelled), "attempt \(attempt)")
    }
    let authenticator = HTTPAuthenticator(url: server.url("token/after"))
    _ = try await authenticator.authenticate(.of("ann"))
    let request = try await server.nextEvent()
    XCTAssertEqual(request.path, "/token/after")
  }

  func test_aTaskThatIsAlreadyCancelledLeavesNothingOpen() async throws {
    let server = try await server()
    _ = try await result(of: server, cancelledAfter: 0)
    let before = try openFiles()
    for _ in 0..<100 { _ = try await result(of: server, cancelledAfter: 0) }
    let after = try openFiles()
    XCTAssertLessThan(after - before, 50)
  }

  func test_cancellingWhileTheRequestBeginsEndsItWheneverThatIs() async throws {
    let server = try await server()
    for attempt in 0..<Length.rounds(1_000) {
      let result = try await result(of: server, cancelledAfter: attempt * (Length.isFull ? 1 : 10))
      XCTAssertTrue([.failure(.cancelled), .success(Token("abc"))].contains(result), "\(result)")
    }
  }

  func test_theServerIsNotKeptWaitingForATaskThatWasCancelled() async throws {
    let server = try await server()
    for attempt in 0..<Length.rounds(100) {
      let authenticator = HTTPAuthenticator(url: server.url("silent"))
      let task = Task { try await authenticator.authenticate(.of("ann")) }
      let request = try await server.nextEvent()
      XCTAssertEqual(request.event, "request", "attempt \(attempt)")
      task.cancel()
      let gone = try await server.nextEvent()
      XCTAssertEqual(gone.event, "gone", "attempt \(attempt)")
    }
  }

  private func openFiles() throws -> Int {
    guard FileManager.default.fileExists(atPath: "/proc/self/fd") else {
      throw XCTSkip("There is no list of open files here.")
    }
    return try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
  }

  /// - Parameter turns: For how long others run first.
  private func result(
    of server: LoopbackServer, cancelledAfter turns: Int
  ) async throws -> Result<Token, AuthError> {
    let authenticator = HTTPAuthenticator(url: server.url("token"))
    let gate = Gate()
    let task = Task {
      await gate.pass()
      return await authenticator.attempt()
    }
    if turns == 0 { task.cancel() }
    gate.open()
    for _ in 0..<turns { await Task.yield() }
    task.cancel()
    return try await within(.seconds(10), "a request that was cancelled") { await task.value }
  }
}
