import AsyncChannelsRecording
import Synchronization
import TestSupport
import XCTest

@testable import AsyncChannels

/// Claiming slots, and consumers that were stopped between claiming and finishing.
final class PositionTests: XCTestCase {
  private let channel = Channel<Int>()
  private lazy var cursor = channel.log.subscribe(buffering: nil)

  func test_C32a_aTicketThatWasReplacedClaimsNothing() {
    let (first, second) = (cursor.makeEpoch(), cursor.makeEpoch())
    send(3)
    XCTAssertEqual(takeAnew(first), 0)
    XCTAssertEqual(cursor.take(as: first), 1, "the short way is closed to the newest")
    XCTAssertNil(cursor.take(as: second), "it has not asked")
    XCTAssertEqual(takeAnew(second), 2)
    send(1)
    XCTAssertNil(cursor.take(as: first))
    XCTAssertNil(takeAnew(first))
    XCTAssertEqual(cursor.poll(as: first), .displaced)
    XCTAssertEqual(cursor.take(as: second), 3)
  }

  func test_C31_C91_theNewestDoesNotWaitForOneThatHasClaimedAndNotFinished() {
    let (first, second) = (cursor.makeEpoch(), cursor.makeEpoch())
    send(200)
    XCTAssertEqual(takeAnew(first), 0)
    let claim = cursor.position.claimKnown(as: first)
    // The first is stopped here. The second goes on behind its slot, beyond the segment.
    XCTAssertEqual((2..<200).map { _ in takeAnew(second) }, Array(2..<200))
    XCTAssertNil(cursor.take(as: second), "the place is closed")
    if let claim { XCTAssertEqual(cursor.take(claim, as: first), 1) }
    // When the first has finished, the second has its short way again.
    send(2)
    XCTAssertEqual(takeAnew(second), 200)
    XCTAssertEqual(cursor.take(as: second), 201)
  }

  func test_C31_C91_aThirdConsumerGoesOnWhileTheFirstHasNotFinished() {
    let epochs = (0..<3).map { _ in cursor.makeEpoch() }
    send(10)
    XCTAssertEqual(takeAnew(epochs[0]), 0)
    let claim = cursor.claim(atMost: 2, as: epochs[0])
    XCTAssertEqual(takeAnew(epochs[1]), 3)
    XCTAssertEqual(takeAnew(epochs[2]), 4)
    XCTAssertNil(takeAnew(epochs[1]))
    if let claim { cursor.position.finish(claim, as: epochs[0]) }
    XCTAssertEqual(takeAnew(epochs[2]), 5)
    XCTAssertEqual(cursor.take(as: epochs[2]), 6)
  }

  func test_C34_theSegmentOfAClaimIsHeldUntilItIsFinishedAndNoLonger() {
    let census = Census()
    let channel = Channel<Tracked>()
    var cursor: Cursor<Tracked>? = channel.log.subscribe(buffering: nil)
    let (first, second) = (cursor!.makeEpoch(), cursor!.makeEpoch())
    for number in 0..<150 { channel.send(Tracked(number, in: census)) }
    XCTAssertEqual(cursor!.poll(as: first), .readable)
    let claim = cursor!.position.claimKnown(as: first)!
    for number in 1..<150 {
      XCTAssertEqual(cursor!.poll(as: second), .readable)
      XCTAssertEqual(cursor!.takeSeen(as: second)?.number, number)
    }
    XCTAssertEqual(census.count, 1)
    XCTAssertEqual(cursor!.take(claim, as: first).number, 0)
    XCTAssertEqual(census.count, 0)
    cursor = nil
  }

  func test_C32a_oneThatHasClaimedClaimsNoMoreOnceAnotherHasAsked() {
    let (first, second) = (cursor.makeEpoch(), cursor.makeEpoch())
    send(3)
    XCTAssertEqual(takeAnew(first), 0)
    let claim = cursor.position.claimKnown(as: first)
    XCTAssertEqual(cursor.poll(as: second), .readable)
    XCTAssertNil(cursor.position.claimKnown(as: first))
    if let claim { cursor.position.finish(claim, as: first) }
  }

  func test_C32a_aClaimFailsIfAnotherHasAskedSinceTheWordWasRead() {
    let (first, second) = (cursor.makeEpoch(), cursor.makeEpoch())
    send(3)
    XCTAssertEqual(takeAnew(first), 0)
    let word = cursor.position.word(of: first)
    XCTAssertEqual(cursor.poll(as: second), .readable)
    XCTAssertNil(word.flatMap { cursor.position.claim(1, after: $0, as: first) })
    XCTAssertEqual(takeAnew(second), 1)
  }

  func test_C34_theSegmentOfAClaimIsLetGoOnceThatIsFinished() {
    let (first, second) = (cursor.makeEpoch(), cursor.makeEpoch())
    send(20)
    XCTAssertEqual(takeAnew(first), 0)
    let claim = cursor.position.claimKnown(as: first)
    let segment = hold()
    XCTAssertEqual((2..<20).map { _ in takeAnew(second) }, Array(2..<20))
    XCTAssertEqual(holderCount(of: segment), 2)
    if let claim { XCTAssertEqual(cursor.take(claim, as: first), 1) }
    XCTAssertNil(takeAnew(second))
    XCTAssertEqual(holderCount(of: segment), 1)
    segment.release()
  }

  func test_C34_aSubscriptionThatIsDroppedLetsGoOfTheSegmentOfAClaim() {
    let (first, second) = (cursor.makeEpoch(), cursor.makeEpoch())
    send(20)
    XCTAssertEqual(takeAnew(first), 0)
    XCTAssertNotNil(cursor.position.claimKnown(as: first))
    let segment = hold()
    XCTAssertEqual((2..<20).map { _ in takeAnew(second) }, Array(2..<20))
    cursor = channel.log.subscribe(buffering: nil)
    XCTAssertEqual(holderCount(of: segment), 1)
    segment.release()
  }

  func test_C34_aSubscriptionThatHasReadAllLetsGoOfItsSegmentWhenItIsDropped() {
    let epoch = cursor.makeEpoch()
    send(2)
    XCTAssertEqual((0..<2).map { _ in takeAnew(epoch) }, [0, 1])
    let segment = hold()
    XCTAssertEqual(holderCount(of: segment), 3)
    cursor = Channel<Int>().log.subscribe(buffering: nil)
    XCTAssertEqual(holderCount(of: segment), 2, "the log and this test")
    segment.release()
  }

  func test_C34_aTaskThatGoesOnLeavesTheSegmentToAnotherThatHasClaimedInIt() {
    let epoch = cursor.makeEpoch()
    send(6)
    XCTAssertEqual((0..<3).map { _ in takeAnew(epoch) }, [0, 1, 2])
    let claim = cursor.position.claimKnown(as: epoch)
    let segment = hold()
    XCTAssertEqual(takeAnew(epoch), 4, "in the next segment")
    XCTAssertEqual(holderCount(of: segment), 2)
    if let claim { XCTAssertEqual(cursor.take(claim, as: epoch), 3) }
    XCTAssertEqual(takeAnew(epoch), 5)
    XCTAssertEqual(holderCount(of: segment), 1)
    segment.release()
  }

  func test_C19_aLongSegmentIsReadInRunsOf64() {
    let channel = Channel<Int>(keepingUnheard: .unbounded)
    for number in 0..<200 { channel.send(number) }
    let cursor = channel.log.subscribe(buffering: nil)
    let epoch = cursor.makeEpoch()
    XCTAssertEqual(cursor.poll(as: epoch), .readable)
    let claim = cursor.claim(atMost: 200, as: epoch)
    XCTAssertEqual(claim?.count, 64)
    XCTAssertNil(cursor.claim(atMost: 1, as: epoch))
    // The log and the segment with what was kept.
    XCTAssertEqual(cursor.position.segment?.next.map(holderCount), 2)
    if let claim { cursor.position.finish(claim, as: epoch) }
  }

  func test_C85a_whatWasReplayedIsRecordedAsTakenAlthoughTheLogHadNoSlotForIt() async {
    let channel = Channel<Int>(replaying: 1)
    let recording = Recording()
    recording.add(channel, as: "numbers")
    channel.send(1)
    let first = await channel.outlet.subscribe().next()
    XCTAssertEqual(first, 1)
    let events = recording.flow.events
    let sent = events.first { $0.kind == .sent }
    XCTAssertEqual(events.first { $0.kind == .taken }?.element, sent?.id)
  }

  /// Two tasks may get one iterator, though it is not `Sendable`, by way of a `Mutex`.
  func test_C91_twoTasksWithOneTicketTakeEachSlotOnceAndKeepItsSegment() {
    let epoch = cursor.makeEpoch()
    send(100)
    XCTAssertEqual((0..<3).map { _ in takeAnew(epoch) }, [0, 1, 2])
    // The last slot of the first segment. One task is stopped here, and the other leaves the segment.
    let claim = cursor.claim(atMost: 1, as: epoch)
    XCTAssertEqual((4..<90).map { _ in takeAnew(epoch) }, Array(4..<90))
    if let claim { XCTAssertEqual(cursor.take(claim, as: epoch), 3) }
    XCTAssertEqual(takeAnew(epoch), 90)
    XCTAssertEqual(cursor.take(as: epoch), 91, "the place is open again")
  }

  func test_C71_whatIsClaimedIsNotPending() {
    let epoch = cursor.makeEpoch()
    send(100)
    XCTAssertEqual(cursor.pendingCount, 100)
    XCTAssertEqual(takeAnew(epoch), 0)
    let claim = cursor.claim(atMost: 2, as: epoch)
    XCTAssertEqual(cursor.pendingCount, 97)
    if let claim { cursor.position.finish(claim, as: epoch) }
  }

  func test_numbersAndTicketsMayWrapAround() {
    let segment = Segment.make(for: Int.self, behind: nil)
    let far = Segment.make(for: Int.self, before: segment, number: Int(UInt32.max) + 3, holding: 6)
    segment.release()
    for index in 0..<6 { far.write(index, at: index, pendingReads: 0) }
    let position = Position(in: far, number: far.start)
    let published = Atomic(Int(UInt32.max) + 3)
    let epoch = UInt64(UInt32.max) + 5
    position.open(for: epoch)
    XCTAssertTrue(position.lookFurther(published.load(ordering: .acquiring)))
    for index in 0..<6 {
      XCTAssertEqual(position.countBehind(published), 6 - index)
      let claim = position.claimKnown(as: epoch)
      XCTAssertEqual(claim?.index, index)
      if let claim { position.finish(claim, as: epoch) }
    }
    XCTAssertNil(position.claimKnown(as: epoch))
    XCTAssertFalse(position.hasUnfinishedClaims)
    XCTAssertEqual(position.number, Int(UInt32.max) + 3)
    far.release()
  }

  private func send(_ count: Int) {
    for _ in 0..<count { channel.send(sent.wrappingAdd(1, ordering: .relaxed).oldValue) }
  }

  private let sent = Atomic(0)

  /// The segment that the cursor reads, with a hold.
  private func hold() -> Segment {
    guard let segment = cursor.position.segment else { fatalError("The cursor reads a segment.") }
    segment.retain()
    return segment
  }

  private func holderCount(of segment: Segment) -> Int {
    segment.header.pointee.holders.load(ordering: .relaxed)
  }

  /// As a consumer that asks.
  private func takeAnew(_ epoch: UInt64) -> Int? {
    cursor.poll(as: epoch) == .readable ? cursor.takeSeen(as: epoch) : nil
  }
}
