import AsyncChannels
import AsyncViewModels
import Foundation
import TestSupport
import XCTest

/// Several sign-ins at a server that answers without end: each ends, and meanwhile the rest of the
/// program has its processors and its memory.
///
/// The limits are far from both sides, since other programs may have the processors. Eight sign-ins
/// take 0.2 to 2 s, 20 MiB, and keep nobody waiting for a tenth of a second; with a delegate queue of
/// Foundation's, and begun on the threads of Swift's tasks, they took 52 s, 480 MiB, and kept every
/// task waiting as long.
final class HTTPEndlessAnswersTests: XCTestCase {
  private static let counts = Length.isFull ? [3, 8] : [3]
  private static let deadline = Duration.milliseconds(Length.isFull ? 1_000 : 300)

  func test_severalEndlessTokensAreRefused() async throws {
    for count in Self.counts {
      try await signIn(count, at: "200", .badAnswer("it is larger than 1048576 bytes."))
    }
  }

  func test_severalEndlessErrorsAreTheirStatus() async throws {
    for count in Self.counts { try await signIn(count, at: "500", .unexpectedStatus(500)) }
  }

  func test_severalEndlessHeadsEndAtTheDeadline() async throws {
    guard Length.isFull else {
      throw XCTSkip("Foundation is busy with such heads for ten seconds.")
    }
    for path in ["head", "interim"] { try await signIn(8, at: path, nil, deadline: Self.deadline) }
  }

  /// Foundation on Linux collects the body, and tells nobody before its end.
  func test_endlessRedirectionsEndAtTheDeadline() async throws {
    try await signIn(3, at: "302", nil, deadline: Self.deadline)
  }

  func test_anEndlessAnswerInSingleBytesIsRefused() async throws {
    try await signIn(
      1, at: Length.isFull ? "pieces" : "pieces/10",
      .badAnswer("it comes in more than 16384 pieces."))
  }

  /// - Parameter expected: Nil where it depends on libcurl, which may have a limit of its own. It is
  ///   always allowed to be too late.
  private func signIn(
    _ count: Int, at path: String, _ expected: AuthError?,
    deadline: Duration = .seconds(Length.isFull ? 5 : 1), line: UInt = #line
  ) async throws {
    let server = try await server()
    // What it sends stops with it, so that the next test has its connections to itself.
    defer { server.stop() }
    let authenticator = HTTPAuthenticator(url: server.url("endless/\(path)"), deadline: deadline)
    let before = Resident.now
    let pulse = Pulse()
    let start = ContinuousClock.now
    let results = try await within(.seconds(60), "\(count) sign-ins") {
      await withTaskGroup(of: Result<Token, AuthError>.self) { group in
        for _ in 0..<count { group.addTask { await authenticator.attempt() } }
        return await group.reduce(into: []) { $0.append($1) }
      }
    }
    let time = ContinuousClock.now - start
    let (gap, peak) = await pulse.stop()
    let what = "\(count) at \(path)"
    XCTAssertLessThan(time, deadline + .seconds(20), what, line: line)
    XCTAssertLessThan(gap, .seconds(15), what, line: line)
    XCTAssertLessThan(peak - before, 256 << 20, what, line: line)
    for result in results {
      guard let error = result.error else {
        return XCTFail("\(what): there was a token", line: line)
      }
      if let expected, error != .timedOut(after: deadline) {
        XCTAssertEqual(error, expected, what, line: line)
      }
    }
  }
}

/// A task that wants to run every ten milliseconds, and measures how late it is.
private final class Pulse: Sendable {
  private let task: Task<(gap: Duration, peak: Int), Never>

  init() {
    task = Task.detached {
      var gap = Duration.zero
      var peak = 0
      while !Task.isCancelled {
        let start = ContinuousClock.now
        try? await ContinuousClock().sleep(for: .milliseconds(10))
        gap = max(gap, ContinuousClock.now - start)
        peak = max(peak, Resident.now)
      }
      return (gap, peak)
    }
  }

  /// The longest time between two beats, and the most memory seen at one.
  func stop() async -> (gap: Duration, peak: Int) {
    task.cancel()
    return await task.value
  }
}
