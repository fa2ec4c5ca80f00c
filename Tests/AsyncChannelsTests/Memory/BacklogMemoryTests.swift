import AsyncChannels
import TestSupport
import XCTest

/// What backlogs take in memory, and that they leave none (C18, C36).
final class BacklogMemoryTests: XCTestCase {
  override func setUpWithError() throws { try Resident.skipUnderSanitizers() }

  func test_C18_memoryIsFlatHoweverMuchIsSentPastStuckSubscribers() async throws {
    let (count, limit) = (Length.rounds(4_000_000), 1_000)
    let census = Census()
    let channel = Channel<Tracked>()
    let newest = channel.outlet.subscribe(buffering: .bufferingNewest(limit))
    let oldest = channel.outlet.subscribe(buffering: .bufferingOldest(limit))
    for number in 0..<count / 10 { channel.send(Tracked(number, in: census)) }
    // What the first measure needs itself is not counted.
    _ = Resident.now
    let before = Resident.now
    var peak = before
    for number in count / 10..<count {
      channel.send(Tracked(number, in: census))
      if number.isMultiple(of: count / 100) { peak = max(peak, Resident.now) }
    }
    peak = max(peak, Resident.now)
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

  func test_C36_backlogsThatAreGoneLeaveNothing() async throws {
    let (count, rounds) = (Length.rounds(4_000_000), 3)
    let census = Census()
    let channel = Channel<Tracked>()
    // In the first round the process takes for itself what it needs, and may keep that.
    try await round(count, channel, census)
    let before = Resident.held
    for _ in 0..<rounds { try await round(count, channel, census) }
    // An element's place in the log has 12 bytes, and the element has 48.
    XCTAssertLessThan(Resident.held - before, rounds * count * 6)
  }

  /// A slow subscriber takes what is sent, and another is dropped, which has taken nothing.
  private func round(_ count: Int, _ channel: Channel<Tracked>, _ census: Census) async throws {
    let slow = channel.outlet.subscribe()
    var abandoned = Optional(channel.outlet.subscribe())
    for number in 0..<count { channel.send(Tracked(number, in: census)) }
    var numbers = try await numbers(count / 2, of: slow)
    XCTAssertEqual(census.count, count, "the other holds them")
    withExtendedLifetime(abandoned) {}
    abandoned = nil
    XCTAssertEqual(census.count, count - count / 2)
    numbers += try await self.numbers(count - count / 2, of: slow)
    assertEqual(numbers, Array(0..<count))
    XCTAssertEqual(census.count, 0)
  }

  /// Takes so many, and keeps none.
  private func numbers(_ count: Int, of slow: Subscription<Tracked>) async throws -> [Int] {
    try await within(.seconds(60), "taking \(count)") {
      var numbers: [Int] = []
      while numbers.count < count, let number = await slow.next()?.number { numbers.append(number) }
      return numbers
    }
  }
}
