import AsyncChannels
import TestSupport
import XCTest

/// What backlogs take in memory, and that it comes back (C18, C19).
final class BacklogMemoryTests: XCTestCase {
  override func setUpWithError() throws { try Resident.skipUnderSanitizers() }

  func test_C18_memoryIsFlatHoweverMuchIsSentPastStuckSubscribers() async throws {
    let (count, limit) = (Length.rounds(4_000_000), 1_000)
    let census = Census()
    let channel = Channel<Tracked>()
    let newest = channel.outlet.subscribe(buffering: .bufferingNewest(limit))
    let oldest = channel.outlet.subscribe(buffering: .bufferingOldest(limit))
    for number in 0..<10 * limit { channel.send(Tracked(number, in: census)) }
    let before = Resident.now
    var peak = before
    for number in 10 * limit..<count {
      channel.send(Tracked(number, in: census))
      if number.isMultiple(of: count / 100) { peak = max(peak, Resident.now) }
    }
    XCTAssertEqual(census.count, 2 * limit)
    XCTAssertLessThanOrEqual(peak - before, 1 << 20)
    XCTAssertEqual(newest.droppedCount, count - limit)
    XCTAssertEqual(oldest.droppedCount, count - limit)
    channel.finish()
    var numbers: [Int] = []
    for await element in newest { numbers.append(element.number) }
    assertEqual(numbers, Array(count - limit..<count))
    numbers = []
    for await element in oldest { numbers.append(element.number) }
    assertEqual(numbers, Array(0..<limit))
    XCTAssertEqual(census.count, 0)
  }

  func test_C19_theMemoryOfABacklogComesBack() async throws {
    let count = Length.rounds(4_000_000)
    let census = Census()
    let channel = Channel<Tracked>()
    for round in 0..<2 {
      let slow = channel.outlet.subscribe()
      var abandoned = Optional(channel.outlet.subscribe())
      let before = Resident.held
      for number in 0..<count { channel.send(Tracked(number, in: census)) }
      let backlog = Resident.now - before
      XCTAssertGreaterThan(backlog, count * 32, "otherwise this measures nothing")
      for number in 0..<count / 2 {
        let element = await slow.next()
        XCTAssertEqual(element?.number, number)
      }
      XCTAssertEqual(census.count, count, "the other holds them")
      withExtendedLifetime(abandoned) {}
      abandoned = nil
      XCTAssertEqual(census.count, count - count / 2)
      for number in count / 2..<count {
        let element = await slow.next()
        XCTAssertEqual(element?.number, number)
      }
      XCTAssertEqual(census.count, 0)
      // In the first round the process takes for itself what it needs.
      if round > 0 { XCTAssertLessThan(Resident.held - before, backlog / 8) }
    }
  }
}
