import AsyncChannelsRecording
import Synchronization
import TestSupport
import XCTest

@testable import AsyncChannels

/// Where a reader is in the log.
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

  func test_C19_aLongSegmentIsReadInRunsOf64() {
    let channel = Channel<Int>(replaying: 200)
    for number in 0..<200 { channel.send(number) }
    let cursor = channel.log.subscribe(buffering: nil)
    let epoch = cursor.makeEpoch()
    XCTAssertEqual(cursor.poll(as: epoch), .readable)
    var taken: [Int] = []
    XCTAssertEqual(cursor.takeUpTo(200, as: epoch, into: &taken), 64)
    XCTAssertEqual(cursor.takeUpTo(1, as: epoch, into: &taken), 0)
    // The log and the segment with what was replayed.
    XCTAssertEqual(cursor.position.segment?.next.map(holderCount), 2)
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

  func test_C71_whatIsClaimedIsNotPending() {
    let epoch = cursor.makeEpoch()
    send(100)
    XCTAssertEqual(cursor.pendingCount, 100)
    XCTAssertEqual(takeAnew(epoch), 0)
    var taken: [Int] = []
    XCTAssertEqual(cursor.takeUpTo(2, as: epoch, into: &taken), 2)
    XCTAssertEqual(cursor.pendingCount, 97)
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
