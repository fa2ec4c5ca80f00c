import TestSupport
import XCTest

@testable import AsyncChannels

/// A consumer that spins for a moment before it falls asleep.
final class SpinningTests: XCTestCase {
  func test_C28_whatOneThatIsCancelledWhileItLooksOnSeesStays() async throws {
    let waiter = ScriptedWaiter(subscriber: 1)
    let task = Task.detached {
      let epoch = waiter.makeEpoch()
      // It sleeps once: only a consumer that has slept spins.
      waiter.script = [.nothing]
      waiter.whenAsleep = { $0.ring() }
      let hasSlept = await waiter.waitForElement(as: epoch, isolation: nil)
      waiter.script = [.readable]
      waiter.whenAsleep = nil
      // Nothing before it spins; then the task is cancelled, and an element comes.
      waiter.arrivals = [false, true]
      waiter.whenItArrives = { withUnsafeCurrentTask { $0?.cancel() } }
      let mayTake = await waiter.waitForElement(as: epoch, isolation: nil)
      return (hasSlept, mayTake)
    }
    let (hasSlept, mayTake) = await task.value
    XCTAssertTrue(hasSlept)
    XCTAssertFalse(mayTake)
    XCTAssertEqual(waiter.arrivals, [], "it did not spin")
    XCTAssertEqual(waiter.script, [], "it did not look after the element had come")
  }
}

/// Finds what the test says. Used by one task at a time.
private final class ScriptedWaiter: Waiter, @unchecked Sendable {
  var script: [PollResult] = []
  var arrivals: [Bool] = []
  var whenAsleep: ((Doorbell) -> Void)?
  var whenItArrives: () -> Void = {}

  override func poll(demands: Bool, orJoinWith bell: Doorbell?) -> PollResult {
    guard let bell else { return script.first == .nothing ? .nothing : script.removeFirst() }
    bell.maySpin = true
    let result = script.removeFirst()
    if result == .nothing { whenAsleep?(bell) }
    return result
  }

  override var next: Int? { 0 }

  override func isThere(_ next: Int) -> Bool {
    guard !arrivals.isEmpty else { return false }
    let hasArrived = arrivals.removeFirst()
    if hasArrived { whenItArrives() }
    return hasArrived
  }
}
