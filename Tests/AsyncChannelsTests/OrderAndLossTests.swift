import AsyncChannels
import XCTest

final class OrderAndLossTests: XCTestCase {
  func test_C1_aSubscriberSeesTheElementsInTheOrderTheyWereSent() async throws {
    let channel = Channel<Int>()
    let subscription = channel.outlet.subscribe()
    for number in 0..<10_000 { channel.send(number) }
    channel.finish()
    let received = try await subscription.collect()
    XCTAssertEqual(received, Array(0..<10_000))
  }
}
