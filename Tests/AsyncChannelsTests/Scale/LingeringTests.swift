import TestSupport
import XCTest

@testable import AsyncChannels

/// Looking on before falling asleep, and when it is left out.
final class LingeringTests: XCTestCase {
  func test_inVainItIsTriedLessAndLessOften() {
    var lingering = Lingering()
    let tries = (0..<5_000).filter { _ in looksOn(&lingering) }
    // After each it is left out for 1, 2, 4 … 1,024 sleeps, and no longer.
    XCTAssertEqual(tries, [0, 2, 5, 10, 19, 36, 69, 134, 263, 520, 1033, 2058, 3083, 4108])
  }

  func test_anElementThatComesInTimeIsSeenAndMakesItTryAgain() {
    var lingering = Lingering()
    for _ in 0..<100 { _ = looksOn(&lingering) }
    while !looksOn(&lingering, findingOneAt: 2) {}
    XCTAssertTrue(looksOn(&lingering), "it was in time, so the next attempt is not left out")
  }

  func test_anElementThatIsThereIsSeenWhetherItLooksOnOrNot() {
    var lingering = Lingering()
    for _ in 0..<100 {
      XCTAssertTrue(lingering.sees(nil) { true })
      XCTAssertTrue(lingering.sees(MainActor.shared) { true })
      _ = looksOn(&lingering)
    }
  }

  func test_onTheMainActorNobodyLooksOn() {
    var lingering = Lingering()
    for _ in 0..<100 { XCTAssertFalse(looksOn(&lingering, isolation: MainActor.shared)) }
    XCTAssertTrue(looksOn(&lingering))
  }

  func test_amongManySubscribersOrWithAQueueNobodyLooksOn() {
    var state = LogState()
    var position = state.addReader(of: Int.self)
    for count in 1...20 {
      let bell = Doorbell(for: nil)
      XCTAssertEqual(state.look(at: position, queue: nil, orJoinWith: bell), .nothing)
      XCTAssertEqual(bell.mayLinger, count <= 16, "\(count) subscribers")
      position = state.addReader(of: Int.self)
    }
    let bell = Doorbell(for: nil)
    var other = LogState()
    XCTAssertEqual(other.look(at: nil, queue: nil, orJoinWith: bell), .nothing)
    XCTAssertFalse(bell.mayLinger)
  }

  /// Whether it looked again before it gave up, and did not only look once.
  private func looksOn(
    _ lingering: inout Lingering, isolation: (any Actor)? = nil, findingOneAt found: Int = .max
  ) -> Bool {
    var looks = 0
    let isSeen = lingering.sees(isolation) {
      looks += 1
      return looks == found
    }
    XCTAssertEqual(isSeen, looks == found)
    return looks > 1
  }
}
