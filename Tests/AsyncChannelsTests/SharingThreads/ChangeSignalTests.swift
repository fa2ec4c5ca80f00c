import XCTest

@testable import AsyncChannels

/// What a follower of several logs knows of them, step by step.
final class ChangeSignalTests: XCTestCase {
  func test_whatIsGivenBackOfALogThatWasLeftIsNotCountedForTheNext() {
    let signal = ChangeSignal()
    let left = signal.add()
    left.mark()
    XCTAssertEqual(take(signal), [left.id.number])
    signal.remove(left)
    let next = signal.add()
    XCTAssertEqual(next.id.number, left.id.number)
    next.mark()
    XCTAssertEqual(take(signal), [next.id.number])
    // A displaced consumer had taken the first, and gives it back late.
    signal.giveBack([left.id])
    XCTAssertEqual(next.counts.pending, 0)
    XCTAssertEqual(next.counts.departed, 1)
    // Somebody reads once more all the same.
    XCTAssertEqual(take(signal), [])
    XCTAssertNil(take(signal))
  }

  func test_aLogThatDoesNotKnowYetThatItWasLeftChangesNothing() {
    let signal = ChangeSignal()
    let left = signal.add()
    signal.remove(left)
    let next = signal.add()
    left.mark()
    XCTAssertNil(left.end())
    XCTAssertNil(take(signal))
    XCTAssertEqual(left.counts.pending, 0)
    next.mark()
    XCTAssertEqual(take(signal), [next.id.number])
    XCTAssertEqual(signal.poll(orJoinWith: nil), .nothing)
    XCTAssertNil(next.end())
    XCTAssertEqual(signal.poll(orJoinWith: nil), .finished)
  }

  /// Which have changed; nil if there is nothing to read.
  private func take(_ signal: ChangeSignal) -> [Int]? {
    var changed: [ChangeSignal.ID] = []
    return signal.take(evenIfCancelled: true, into: &changed) ? changed.map(\.number) : nil
  }
}
