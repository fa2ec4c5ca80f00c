import TestSupport
import XCTest

@testable import AsyncChannels

/// C85, C86: what a recording sees, and that it changes nothing.
final class RecordingTests: XCTestCase {
  func test_C85_whatIsSentTakenAndDroppedIsRecordedByTheNamesOfProperties() async {
    let shop = Shop()
    let recording = Recording(of: shop)
    let orders = shop.orders.outlet.subscribe(buffering: .bufferingNewest(1))
    shop.orders.send("tea")
    shop.orders.send("rice")
    _ = await orders.next()
    shop.stock.value = 2
    shop.orders.finish()
    XCTAssertEqual(
      recording.text(),
      """
      Shop
      orders  stock
      ●       │      #1 "tea"
      ●       │      #2 "rice"
      ✕       │      #1 dropped
      ◆       │      #2 taken
      │       ●      #3 2
      ■       │      finished

      """)
    XCTAssertEqual(
      recording.text(ascii: true),
      """
      Shop
      orders  stock
      *       |      #1 "tea"
      *       |      #2 "rice"
      x       |      #1 dropped
      v       |      #2 taken
      |       *      #3 2
      =       |      finished

      """)
    XCTAssertEqual(
      recording.marbles(),
      """
      orders  ─#1─#2─✕#1────┤─
      stock   ───────────#3───

      """)
  }

  func test_C85_subscriptionsThatExistedBeforeAreSeen() async {
    let channel = Channel<Int>()
    let early = channel.outlet.subscribe()
    let bounded = channel.outlet.subscribe(buffering: .bufferingNewest(1))
    channel.send(1)
    let recording = Recording()
    recording.add(channel, as: "numbers")
    channel.send(2)
    for _ in 0..<2 { _ = await early.next() }
    _ = await bounded.next()
    XCTAssertEqual(
      recording.text(),
      """
      numbers
      ●        #1 2
      ✕        an earlier element dropped by subscription 1
      ◆        #1 taken by subscription 2
      ◆        #1 taken by subscription 1

      """)
  }
}

private final class Shop: Sendable {
  let orders = Channel<String>()
  let stock = CurrentValue(0)
}
