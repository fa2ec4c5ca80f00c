import TestSupport
import XCTest

@testable import AsyncChannels

/// Looking on before falling asleep, and when it is left out.
final class AdaptiveSpinTests: XCTestCase {
  func test_inVainItIsTriedLessAndLessOften() {
    var spin = AdaptiveSpin()
    let tries = (0..<5_000).filter { _ in spins(&spin) }
    // After each it is left out for 1, 2, 4 … 1,024 sleeps, and no longer.
    XCTAssertEqual(tries, [0, 2, 5, 10, 19, 36, 69, 134, 263, 520, 1033, 2058, 3083, 4108])
  }

  func test_anElementThatComesInTimeIsSeenAndMakesItTryAgain() {
    var spin = AdaptiveSpin()
    for _ in 0..<100 { _ = spins(&spin) }
    while !spins(&spin, findingOne: true) {}
    XCTAssertTrue(spins(&spin), "it was in time, so the next attempt is not left out")
  }

  func test_onTheMainActorNobodyLooksOn() {
    var spin = AdaptiveSpin()
    for _ in 0..<100 { XCTAssertFalse(spins(&spin, isolation: MainActor.shared)) }
    XCTAssertTrue(spins(&spin))
  }

  func test_amongManySubscribersOrWithAQueueNobodyLooksOn() {
    var state = LogState()
    var end = state.addReader(of: Int.self)
    for count in 1...20 {
      let bell = Doorbell(ofSubscriber: 1)
      XCTAssertEqual(state.poll(at: end.number, queue: nil, orJoinWith: bell), .nothing)
      XCTAssertEqual(bell.maySpin, count <= 16, "\(count) subscribers")
      end = state.addReader(of: Int.self)
    }
    end.segment.release()
    let bell = Doorbell(ofSubscriber: 1)
    var other = LogState()
    XCTAssertEqual(other.poll(at: nil, queue: nil, orJoinWith: bell), .nothing)
    XCTAssertFalse(bell.maySpin)
  }

  func test_whoLooksOnStopsWhenAnElementIsThere() {
    var looks = 0
    // The thread may be interrupted for as long as it would look.
    let hasSeen = (0..<100).contains { _ in
      looks = 0
      return AdaptiveSpin.sees {
        looks += 1
        return looks == 3
      }
    }
    XCTAssertTrue(hasSeen)
    XCTAssertEqual(looks, 3)
    XCTAssertFalse(AdaptiveSpin.sees { false })
  }

  /// Whether it spins before the next sleep.
  private func spins(
    _ spin: inout AdaptiveSpin, isolation: (any Actor)? = nil, findingOne found: Bool = false
  ) -> Bool {
    guard spin.mayTry(isolation) else { return false }
    spin.note(hasSeen: found)
    return true
  }
}
