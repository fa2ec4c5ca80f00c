import TestSupport
import XCTest

@testable import AsyncChannels
@testable import AsyncChannelsRecording

/// C87, C112: what a recording says is so.
final class RecordingTruthTests: XCTestCase {
  private struct Ends: Sendable {
    let first = Channel<Int>()
    let pair = (Channel<Int>(), note: Channel<Int>())
  }
  private final class Nested: Sendable {
    let ends = Ends()
    let list = [Channel<Int>(), Channel<Int>()]
    let rooms: [String: Channel<Int>?] = ["b": Channel<Int>(), "a": Channel<Int>(), "c": nil]
    let sessions = ["hunter2": Channel<Int>()]
    let other = [1, 2, 3]
    let many = (0..<100).map { _ in Channel<Int>() }
  }

  func test_C112_channelsInStructsTuplesArraysAndDictionariesAreFound() {
    let nested = Nested()
    let recording = Recording(of: nested)
    nested.ends.first.send(1)
    nested.ends.pair.0.send(2)
    nested.ends.pair.note.send(3)
    nested.list[1].send(4)
    nested.rooms["a"]??.send(5)
    nested.sessions["hunter2"]?.send(6)
    nested.many[63].send(7)
    nested.many[64].send(8)
    let flow = recording.flow
    XCTAssertEqual(
      flow.events.map { flow.lanes[$0.lane].name },
      [
        "ends.first", "ends.pair.0", "ends.pair.note", "list[1]", "rooms[\"a\"]", "sessions[…]",
        "many[63]",
      ])
    XCTAssertTrue(
      recording.text().hasPrefix("many has 100 elements, of which 64 were looked at.\n"))
    let names = flow.lanes.map(\.name)
    XCTAssertEqual(names.filter { $0.hasPrefix("rooms") }, ["rooms[\"a\"]", "rooms[\"b\"]"])
  }

  func test_C112_whoSubscribesAfterTheEndDoesNotLeave() async {
    let channel = Channel<Int>()
    let recording = Recording()
    recording.add(channel, as: "numbers")
    let first = channel.outlet.subscribe()
    channel.finish()
    for _ in 0..<3 { _ = await channel.outlet.subscribe().next() }
    withExtendedLifetime(first) {}
    XCTAssertEqual(
      recording.flow.events.map(\.kind).filter { $0 != .left }, [.subscribed, .finished])
    XCTAssertLessThanOrEqual(recording.flow.events.count { $0.kind == .left }, 1)
  }

  func test_C112_aRequestIsShownByItsQuestionAndItsReply() async {
    struct Question: Sendable { let amount = 5, token = "s3cr3t" }
    struct Password: Sendable {}
    let orders = Channel<Request<Question, String>>()
    let names = Channel<Request<String, Int>>()
    let logins = Channel<Request<Password, String>>()
    let recording = Recording()
    recording.add(orders, as: "orders")
    recording.add(names, as: "names")
    recording.add(logins, as: "logins")
    let replies = [
      orders.outlet.observe { $0.reply("done \($0.question.amount)") },
      logins.outlet.observe { $0.reply("s3cr3t") },
    ]
    let reply = await orders.inlet.ask(Question())
    _ = await logins.inlet.ask(Password())
    _ = await names.inlet.ask("Ann")
    withExtendedLifetime(replies) {}
    XCTAssertEqual(reply, "done 5")
    XCTAssertEqual(
      recording.flow.events.filter { $0.kind == .sent }.map(\.text),
      [
        "Request(Question(amount: 5, token: …)), answered \"done 5\"",
        "Request(Password(…)), answered …", "Request(\"Ann\"), never answered",
      ])
  }

  func test_C112_aRequestIsToldOfItsReplyByEachRecordingAndOnlyOnce() async {
    let names = Channel<Request<String, Int>>(), others = Channel<Request<String, Int>>()
    let recordings = [Recording(), Recording()]
    for recording in recordings { recording.add(names, as: "names") }
    recordings[0].add(others, as: "others")
    let requests = names.outlet.subscribe()
    let asker = Task { await names.inlet.ask("Ann") }
    let request = await requests.next()
    XCTAssertEqual(request?.reply(1), true)
    XCTAssertEqual(request?.reply(2), false)
    // Sent on when it has been answered, it has no more to tell.
    if let request { others.send(request) }
    let reply = await asker.value
    XCTAssertEqual(reply, 1)
    for recording in recordings {
      let words = recording.flow.events.first { $0.kind == .sent }?.text
      XCTAssertEqual(words, "Request(\"Ann\"), answered 1")
    }
    XCTAssertEqual(recordings[0].flow.events.last?.text, "Request(\"Ann\")")
  }

  func test_C87b_aTextHasNoMoreColumnsThanATerminal() {
    let widths: [(String, Int)] = [
      ("a", 1), ("é", 1), ("e\u{301}", 1), ("もし", 4), ("⭐", 2), ("✅", 2), ("🇩🇪", 2), ("👩‍👩‍👧", 2),
      ("❤️", 2), ("1️⃣", 2), ("👍🏽", 2), ("⌚", 2), ("→", 1), ("…", 1), ("한글", 4), ("ﾊ", 1),
      ("\u{200B}", 0),
    ]
    for (text, columns) in widths { XCTAssertEqual(text.columns, columns, text) }
    let channel = Channel<String>()
    let recording = Recording()
    recording.add(channel, as: "ratings")
    for rating in ["⭐", "✅", "🇩🇪"] { channel.send(String(repeating: rating, count: 120)) }
    for line in recording.text().split(separator: "\n") {
      XCTAssertLessThanOrEqual(
        line.reduce(0) { $0 + ($1.isASCII || "…●".contains($1) ? 1 : 2) }, 100)
    }
  }

  func test_C87a_aLoopThatLeavesDoesNotChangeTheTextByBeingFaster() async {
    var texts: Set<String> = []
    for order in 0..<2 {
      let news = Channel<Int>()
      let recording = Recording()
      recording.add(news, as: "news")
      let all = news.outlet.subscribe()
      let one = news.outlet.subscribe()
      for number in 1...3 { news.send(number) }
      news.finish()
      func takeAll() async { await Task { for await _ in all {} }.value }
      func takeOne() async { await Task { for await _ in one { break } }.value }
      if order == 0 {
        await takeAll()
        await takeOne()
      } else {
        await takeOne()
        await takeAll()
      }
      texts.insert(recording.text())
    }
    XCTAssertEqual(texts.count, 1, texts.joined(separator: "\n"))
  }
}
