import AsyncChannels
import Dispatch
import Testing
import XCTest

@testable import AsyncChannelsTesting

/// The closure does not escape, so a helper of a test is a plain function.
@MainActor
final class LentClosureTests: XCTestCase {
  /// Each test would wait as long as one of a user, which is this while a test runs.
  @MainActor private static var usual = Duration.milliseconds(300)

  override func setUp() async throws {
    await MainActor.run { swap(&Self.usual, &TestRun.patience.usual) }
  }

  override func tearDown() async throws {
    await MainActor.run { swap(&Self.usual, &TestRun.patience.usual) }
  }

  private var count = 0

  private func inTestTime(_ body: (TestTime) async throws -> Void) async throws {
    try await withTestTime { time in
      try await body(time)
      count += 1
    }
  }

  private func inEachOrder(_ body: (TestTime) async throws -> Void) async throws {
    try await withTestTime(orders: .random(5, seed: 1), body)
  }

  func test_C94_aHelperPassesItsClosureOn() async throws {
    let model = Model()
    var seen = 0
    try await inTestTime { time in
      model.number = 1
      await time.idle()
      seen += 1
      count += 1
    }
    try await inEachOrder { time in
      count += 1
      await time.advance(by: .seconds(1))
      XCTAssertNotNil(time.seed)
    }
    XCTAssertEqual([count, seen, model.number], [7, 1, 1])
  }

  /// The closure is gone when the call has failed, and who resumes its task later does not run it.
  func test_C96_anAbandonedClosureNeverRunsAgain() async throws {
    var continuation: UnsafeContinuation<Void, Never>?
    var hasGoneOn = false
    do {
      try await withTestTime { _ in
        await withUnsafeContinuation { continuation = $0 }
        hasGoneOn = true
      }
      XCTFail("it passed")
    } catch {
      XCTAssertTrue("\(error)".contains("either, and is abandoned."), "\(error)")
    }
    try XCTUnwrap(continuation).resume()
    for _ in 0..<100 { await Task.yield() }
    XCTAssertFalse(hasGoneOn)
    // Nor within the time of another test.
    do {
      try await withTestTime { _ in
        await withUnsafeContinuation { continuation = $0 }
        hasGoneOn = true
      }
      XCTFail("it passed")
    } catch {}
    try await withTestTime { time in
      continuation?.resume()
      await time.idle()
    }
    XCTAssertFalse(hasGoneOn)
  }
}

/// The same without an actor.
final class LentClosureElsewhereTests: XCTestCase {
  private var count = 0

  private func inTestTime(_ body: (TestTime) async throws -> Void) async throws {
    try await withTestTime { time in
      try await body(time)
      count += 1
    }
  }

  func test_C94_aHelperPassesItsClosureOn() async throws {
    try await inTestTime { time in
      count += 1
      let model = Model()
      await model.set(2)
      await time.idle()
      // It runs there all the same.
      MainActor.assertIsolated()
    }
    XCTAssertEqual(count, 2)
  }

  @MainActor
  func test_C94_aTestOnTheMainActorUsesIt() async throws {
    let model = Model()
    try await inTestTime { time in
      model.number = 1
      count += 1
    }
    XCTAssertEqual(count, 2)
  }
}

/// The same with Swift Testing.
@MainActor
struct LentClosureSuite {
  private func inTestTime(_ body: (TestTime) async throws -> Void) async throws {
    try await withTestTime { try await body($0) }
  }

  @Test func aHelperPassesItsClosureOn() async throws {
    let model = Model()
    try await inTestTime { time in
      model.number = 1
      await time.advance(by: .seconds(1))
      #expect(model.number == 1)
    }
  }
}

final class LentClosureElsewhereSuite {
  private var count = 0

  private func inTestTime(_ body: (TestTime) async throws -> Void) async throws {
    try await withTestTime { time in
      try await body(time)
      count += 1
    }
  }

  @Test func aHelperPassesItsClosureOn() async throws {
    try await inTestTime { time in
      count += 1
      await time.idle()
    }
    #expect(count == 2)
  }
}

@MainActor
private final class Model {
  var number = 0

  func set(_ new: Int) { number = new }
}
