import TestSupport
import XCTest

@testable import AsyncChannels

/// The hand-over as a value, which needs no task.
final class CurrentConsumerTests: XCTestCase {
  private var consumer = CurrentConsumer()

  override func setUp() {
    consumer = CurrentConsumer()
  }

  func test_anOlderIteratorIsRefusedHoweverOftenItAsks() {
    ask(as: 1, displacing: nil)
    ask(as: 3, displacing: nil)
    for epoch: UInt64 in [1, 2, 1] {
      guard case .refused = consumer.ask(as: epoch) else { return XCTFail("\(epoch) was granted.") }
    }
    XCTAssertEqual(consumer.epoch, 3)
  }

  func test_aNewerIteratorDisplacesOneThatSleeps() {
    let bell = sleep(as: 1)
    ask(as: 2, displacing: bell)
    XCTAssertFalse(consumer.wakeUp(from: bell))
    XCTAssertNil(consumer.sleepingPlace)
    XCTAssertNil(consumer.bell, "It may still have a listener.")
  }

  func test_aSecondCallOfOneIteratorDisplacesTheFirst() {
    let first = sleep(as: 1)
    ask(as: 1, displacing: first)
    let second = Doorbell(ofSubscriber: 1)
    consumer.fallAsleep(on: second)
    XCTAssertFalse(consumer.wakeUp(from: first))
    XCTAssertTrue(consumer.sleepingPlace === second, "Who wakes late leaves the sleeper asleep.")
    XCTAssertTrue(consumer.wakeUp(from: second))
  }

  func test_oneThatIsAwakeIsDisplacedWithoutARing() {
    let bell = sleep(as: 1)
    XCTAssertTrue(consumer.wakeUp(from: bell))
    ask(as: 2, displacing: nil)
  }

  func test_aDoorbellIsKeptFromOneSleepToTheNext() {
    let bell = sleep(as: 1)
    XCTAssertTrue(consumer.wakeUp(from: bell))
    XCTAssertNil(consumer.sleepingPlace)
    ask(as: 1, displacing: nil)
    XCTAssertTrue(consumer.bell === bell)
  }

  func test_aDoorbellWhoseStreamHasEndedIsDropped() {
    let bell = sleep(as: 1)
    XCTAssertTrue(consumer.wakeUp(from: bell))
    XCTAssertTrue(consumer.dropBell() === bell)
    XCTAssertNil(consumer.bell)
    ask(as: 2, displacing: nil)
  }

  /// Of all doorbells that were slept on and not woken from, at most the newest is one that somebody sleeps on.
  func test_inAnyOrderOfEventsOneSleepsAtMost() {
    for seed in 0..<200 {
      var random = SplitMix64(seed: UInt64(seed))
      var displaced: [Doorbell] = []
      setUp()
      for _ in 0..<50 {
        let epoch = UInt64.random(in: 1...4, using: &random)
        let (newest, sleeper) = (consumer.epoch, consumer.sleepingPlace)
        switch consumer.ask(as: epoch) {
        case .refused:
          XCTAssertLessThan(epoch, newest)
          XCTAssertTrue(consumer.sleepingPlace === sleeper)
          continue
        case .granted(let bell):
          XCTAssertTrue(bell === sleeper)
          if let bell { displaced.append(bell) }
        }
        XCTAssertFalse(displaced.contains { consumer.wakeUp(from: $0) })
        guard Bool.random(using: &random) else { continue }
        let bell = consumer.bell ?? Doorbell(ofSubscriber: 1)
        consumer.fallAsleep(on: bell)
        guard Bool.random(using: &random) else { continue }
        XCTAssertTrue(consumer.wakeUp(from: bell))
        if Bool.random(using: &random) { consumer.dropBell() }
      }
    }
  }

  private func ask(
    as epoch: UInt64, displacing bell: Doorbell?, file: StaticString = #filePath, line: UInt = #line
  ) {
    guard case .granted(let displaced) = consumer.ask(as: epoch) else {
      return XCTFail("\(epoch) was refused.", file: file, line: line)
    }
    XCTAssertTrue(displaced === bell, file: file, line: line)
    XCTAssertEqual(consumer.epoch, epoch, file: file, line: line)
  }

  /// A consumer that asks, finds nothing and sleeps.
  private func sleep(as epoch: UInt64) -> Doorbell {
    ask(as: epoch, displacing: nil)
    let bell = consumer.bell ?? Doorbell(ofSubscriber: 1)
    consumer.fallAsleep(on: bell)
    return bell
  }
}

extension CurrentConsumer {
  /// The doorbell on which it sleeps; nil if it is awake.
  fileprivate var sleepingPlace: Doorbell? { isAsleep ? bell : nil }
}
