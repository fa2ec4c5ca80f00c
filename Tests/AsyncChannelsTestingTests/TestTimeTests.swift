import AsyncChannels
import AsyncChannelsTesting
import XCTest

final class TestTimeTests: XCTestCase {
  @MainActor
  func test_idleReturnsWhenNobodyHasAnythingLeftToDo() async throws {
    try await withTestTime { time in
      let done = Done()
      Task.detached {
        for _ in 0..<1000 { await Task.yield() }; await done.add()
      }
      Task {
        await Hopper().hop(1000); await done.add()
      }
      await time.idle()
      let count = await done.count
      XCTAssertEqual(count, 2)
    }
  }

  @MainActor
  func test_timePasses() async throws {
    try await withTestTime { time in
      let done = Done()
      for ms in 1...10 {
        Task {
          try await time.clock.sleep(for: .milliseconds(ms)); await done.add()
        }
      }
      await time.advance(by: .milliseconds(5))
      let count = await done.count
      XCTAssertEqual(count, 5)
      await time.run()
      let all = await done.count
      XCTAssertEqual(all, 10)
      XCTAssertEqual(time.clock.now.sinceBeginning, .milliseconds(10))
    }
  }

  @MainActor
  func test_hang() async throws {
    do {
      try await withTestTime { _ in
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
      }
      XCTFail()
    } catch { print(error) }
    do {
      try await withTestTime { _ in try await Task.sleep(for: .milliseconds(1300)) }
      XCTFail()
    } catch { print(error) }
    do {
      try await withTestTime { time in try await time.clock.sleep(for: .milliseconds(1300)) }
      XCTFail()
    } catch { print(error) }
  }
}

actor Done {
  var count = 0
  func add() { count += 1 }
}
actor Hopper {
  func hop(_ n: Int) async { for _ in 0..<n { await other() } }
  @MainActor func other() {}
}
