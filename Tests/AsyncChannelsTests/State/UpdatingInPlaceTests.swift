import Dispatch
import AsyncChannelsRecording
import TestSupport
import XCTest

@testable import AsyncChannels

final class UpdatingInPlaceTests: XCTestCase {
  func test_C114_anArrayThatNobodyElseHasIsChangedInPlace() {
    let list = Self.list()
    let address = Self.address(of: list)
    for number in 0..<100 { list.update { $0.append(number) } }
    XCTAssertEqual(Self.address(of: list), address)
    XCTAssertEqual(list.value, Array(0..<100))
  }

  func test_C114_itIsChangedInPlaceAgainWhenSubscribersHaveTakenIt() {
    for policy in [BufferingPolicy.unbounded, .bufferingNewest(1)] {
      let list = Self.list()
      let subscription = list.outlet.subscribe(buffering: policy)
      list.update { $0.append(1) }
      while subscription.takeNow().element != nil {}
      list.update { $0.reserveCapacity(1_000) }
      while subscription.takeNow().element != nil {}
      let address = Self.address(of: list)
      while subscription.takeNow().element != nil {}
      list.update { $0.append(2) }
      XCTAssertEqual(subscription.takeNow().element, [1, 2])
      XCTAssertEqual(Self.address(of: list), address)
    }
  }

  func test_C114_asPartOfAStructAndOfAnOptionalToo() {
    let form = CurrentValue((name: "", list: Optional([1, 2, 3])))
    func address() -> UnsafeRawPointer? {
      form.update { form in form.list?.withUnsafeBytes { $0.baseAddress } }
    }
    form.update { $0.list?.reserveCapacity(100) }
    let before = address()
    form.update { $0.list?.append(4) }
    XCTAssertEqual(address(), before)
    XCTAssertEqual(form.value.list, [1, 2, 3, 4])
  }

  func test_C114_whoeverHasACopyKeepsIt() {
    let list = CurrentValue([1])
    let subscription = list.outlet.subscribe()
    let before = list.value
    list.update { $0.append(2) }
    list.update { $0[0] = 3 }
    XCTAssertEqual(before, [1])
    XCTAssertEqual(
      [
        subscription.takeNow().element, subscription.takeNow().element,
        subscription.takeNow().element,
      ],
      [[1], [1, 2], [3, 2]])
  }

  func test_C114_aClosureThatThrowsHasChangedNothing() {
    struct Refused: Error {}
    let list = CurrentValue([1])
    let subscription = list.outlet.subscribe()
    for _ in 0..<2 {
      do throws(Refused) {
        try list.update { list throws(Refused) in
          list.append(2)
          throw Refused()
        }
      } catch {}
    }
    XCTAssertEqual(list.value, [1])
    XCTAssertEqual(subscription.pendingCount, 1)
    list.finish()
    XCTAssertEqual(
      list.update { list in
        list.append(3)
        return list
      }, [1, 3])
    XCTAssertEqual(list.value, [1])
  }

  func test_C115_readingAndFinishingWaitForIt() async throws {
    try await expectWaiting { XCTAssertEqual($0.value, [1, 2]) }
    try await expectWaiting { XCTAssertEqual($0.outlet.value, [1, 2]) }
    try await expectWaiting { XCTAssertEqual($0.outlet.map(\.count).value, 2) }
    try await expectWaiting {
      let count = $0.outlet.map(\.count)
      XCTAssertEqual(StateOutlet.combine(count, count).map { $0 + $1 }.value, 4)
    }
    try await expectWaiting {
      $0.finish()
      $0.value = [3]
      XCTAssertEqual($0.value, [1, 2])
    }
  }

  /// The two steps of an end that comes meanwhile: nothing at first, and all of it after the update.
  func test_C66c_C115_anEndThatComesMeanwhileIsPutOff() {
    let list = CurrentValue([1])
    let counts = list.subscriberCounts.subscribe()
    XCTAssertEqual(counts.takeNow().element, 0)
    let hasEnded = list.update { value in
      value.append(2)
      return list.log.finishKeepingNewest()
    }
    XCTAssertFalse(hasEnded)
    list.value.append(3)
    list.endUpdatesAndFinish()
    list.value.append(4)
    XCTAssertEqual(list.value, [1, 2, 3])
    XCTAssertEqual(counts.takeNow().result, .finished)
  }

  func test_C115_anEndDoesNotWaitForAnUpdateOfACopy() {
    let number = CurrentValue(1)
    let hasEnded = number.update { value in
      value = 2
      return number.log.finishKeepingNewest()
    }
    XCTAssertTrue(hasEnded)
    XCTAssertEqual(number.value, 1)
  }

  func test_C115_aSubscriptionThatBeginsMeanwhileBeginsWithWhatItLeaves() async throws {
    for policy in [BufferingPolicy.unbounded, .bufferingNewest(1), .bufferingOldest(1)] {
      let updating = try await Updating.begin()
      let list = updating.list
      let plain = list.outlet.subscribe(buffering: policy)
      let derived = list.outlet.map(\.count).subscribe(buffering: policy)
      XCTAssertNil(plain.takeNow().element)
      XCTAssertNil(derived.takeNow().element)
      updating.goOn.signal()
      assertEqual(try await within { await plain.next() }, [1, 2])
      assertEqual(try await within { await derived.next() }, 2)
      list.finish()
      assertEqual(try await within { await plain.next() }, nil)
    }
  }

  func test_C115_aRecordingThatBeginsMeanwhileHearsOfWhatItLeaves() async throws {
    let updating = try await Updating.begin()
    let list = updating.list
    let recording = Recording()
    recording.add(list, as: "list")
    let subscription = list.outlet.subscribe()
    updating.goOn.signal()
    try await within { await updating.hasEnded.pass() }
    XCTAssertEqual(subscription.takeNow().element, [1, 2])
    list.update { $0.append(3) }
    XCTAssertEqual(subscription.takeNow().element, [1, 2, 3])
    XCTAssertTrue(recording.text().contains("[1, 2, 3]"), recording.text())
  }

  func test_C66c_C115_theCountOfSubscribersEndsWithAnEndThatWaited() async throws {
    try await expectWaiting { list in
      let counts = list.subscriberCounts
      list.finish()
      XCTAssertNil(counts.subscribe().takeNow().element)
    }
  }

  func test_C115_theUpdateThatFinishWaitsForIsPublished() async throws {
    for _ in 0..<500 {
      let list = CurrentValue([0])
      let subscription = list.outlet.subscribe()
      let finisher = Task.detached { list.finish() }
      for number in 1...20 { list.update { $0.append(number) } }
      await finisher.value
      var last: [Int]?
      while let next = await subscription.next() { last = next }
      XCTAssertEqual(last, list.value)
    }
  }

  func test_C114_C115_readersAndUpdatersOnManyThreadsSeeWholeValues() async throws {
    let list = CurrentValue([Int]())
    let last = list.outlet.subscribe(buffering: .bufferingNewest(1))
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      var before = 0
      for number in 0..<2_000 {
        switch (thread, number % 3) {
        case (0...1, _): list.update { $0.append($0.count) }
        case (_, 0): _ = list.outlet.subscribe().takeNow()
        default:
          let now = list.value
          XCTAssertEqual(now.last ?? -1, now.count - 1)
          XCTAssertGreaterThanOrEqual(now.count, before)
          before = now.count
        }
      }
    }
    XCTAssertEqual(list.value, Array(0..<4_000))
    assertEqual(try await last.take(1), [list.value])
  }

  /// Each of them is asked while the update runs, and goes on when it has ended.
  private func expectWaiting(_ act: @escaping @Sendable (CurrentValue<[Int]>) -> Void) async throws
  {
    let updating = try await Updating.begin()
    let (isActing, hasActed) = (Gate(), Gate())
    DispatchQueue(label: "acting").async {
      isActing.open()
      act(updating.list)
      hasActed.open()
    }
    try await within { await isActing.pass() }
    // Were it not to wait, it would have the time to act here.
    for _ in 0..<100 { await Task.yield() }
    updating.goOn.signal()
    try await within { await hasActed.pass() }
  }

  private static func list() -> CurrentValue<[Int]> {
    let list = CurrentValue([Int]())
    list.update { $0.reserveCapacity(1_000) }
    return list
  }

  private static func address(of list: CurrentValue<[Int]>) -> UnsafeRawPointer? {
    list.update { list in list.withUnsafeBytes { $0.baseAddress } }
  }
}

/// A list `[1]` to which another thread appends 2 in place, as soon as `goOn` is signalled.
private struct Updating: Sendable {
  let list = CurrentValue([1])
  let goOn = DispatchSemaphore(value: 0)
  let hasEnded = Gate()

  /// Returns inside the update.
  static func begin() async throws -> Updating {
    let updating = Updating()
    let hasBegun = Gate()
    DispatchQueue(label: "updating").async {
      updating.list.update { list in
        hasBegun.open()
        updating.goOn.wait()
        list.append(2)
      }
      updating.hasEnded.open()
    }
    try await within { await hasBegun.pass() }
    return updating
  }
}
