import AsyncChannels
import Synchronization
import TestSupport
import XCTest

/// `answer` where there is no isolation that keeps its callbacks apart.
final class AnswerNonisolatedTests: XCTestCase {
  func test_publishIsCalledOneAtATimeFromNonisolatedCodeToo() async throws {
    let numbers = Channel<Int>()
    let received = numbers.outlet.subscribe()
    for number in 0..<20_000 { numbers.send(number) }
    numbers.finish()
    let inside = Atomic(0)
    let most = Atomic(0)
    let count = Atomic(0)
    try await within(.seconds(30)) {
      await received.answer(.concurrent) {
        $0
      } publish: { _ in
        let now = inside.add(1, ordering: .sequentiallyConsistent).newValue
        most.max(now, ordering: .sequentiallyConsistent)
        count.add(1, ordering: .sequentiallyConsistent)
        inside.subtract(1, ordering: .sequentiallyConsistent)
      }
    }
    XCTAssertEqual(count.load(ordering: .sequentiallyConsistent), 20_000)
    XCTAssertEqual(most.load(ordering: .sequentiallyConsistent), 1, "calls at once")
  }

  func test_busyIsSaidInOrderFromNonisolatedCodeToo() async throws {
    let numbers = Channel<Int>()
    let received = numbers.outlet.subscribe()
    let said = Channel<Bool>()
    let heard = said.outlet.subscribe()
    try await within(.seconds(30)) {
      await withDiscardingTaskGroup { group in
        group.addTask {
          await received.answer(.concurrent, busy: said.inlet) {
            $0
          } publish: { _ in
          }
        }
        for number in 0..<20_000 {
          numbers.send(number)
          if number.isMultiple(of: 3) { await Task.yield() }
        }
        numbers.finish()
      }
    }
    said.finish()
    var isBusy = false
    for await nowBusy in heard {
      XCTAssertNotEqual(nowBusy, isBusy)
      isBusy = nowBusy
    }
    XCTAssertFalse(isBusy)
  }
}
