import Foundation
import SharedChannels
import XCTest

@testable import SharedLogNATS

/// What the engine does with messages and answers that only a fault, a set-back, a newer server or others bring about.
/// Over one server of the tests' own. Skipped without it.
final class NATSStreamTests: XCTestCase {
  private let logName = "log" + UUID().uuidString.lowercased().filter(\.isHexDigit).prefix(16)
  private let entry = NATSRecord.encode([Keyed(key: "k", Data())])

  private func log() throws -> any SharedLog { try NATSEngine.ofTests().open(logName) }

  private func stream() throws -> NATSStream {
    let address = try NATSAddress(NATSEngine.ofTests().address)
    return try NATSStream(address, name: logName, replicas: 1)
  }

  func test_aTailSkipsWhatItsPlaceHas() async throws {
    let (log, stream) = (try log(), try stream())
    _ = try await log.append([Keyed(key: "a", Data())])
    var place = try stream.lastPlace()
    // As if another replica, which the tail does not follow, had the next batch already: its claim comes before it.
    place.sequence += 2
    place.index += 1
    let tail = try stream.tail(after: place)
    for key in ["b", "c"] { _ = try await log.append([Keyed(key: key, Data())]) }
    let (record, before) = try XCTUnwrap(try tail.nextRecord(until: .now + .seconds(5)))
    XCTAssertEqual(try record.entries().map(\.key), ["c"])
    XCTAssertEqual(before.index, 2)
  }

  func test_aPlaceThatTheLogDoesNotHaveIsNotCountedFrom() async throws {
    let (log, stream) = (try log(), try stream())
    for key in ["a", "b"] { _ = try await log.append([Keyed(key: key, Data())]) }
    let second = try stream.lastPlace()
    _ = try await log.append([Keyed(key: "c", Data())])
    let third = try stream.lastPlace()
    for text in [
      "100 123", "100 \(third.mark ^ 1 << 40)", "100 0", second.text,
    ] {
      let known = try XCTUnwrap(NATSPlace(text))
      let number = UInt64.random(in: 1 ... .max)
      let before = try stream.lastPlace().index
      _ = try stream.storeBatch(number, (NATSRecord.headers(known, count: 1), entry))
      let end = try await self.log().end()
      XCTAssertEqual(end.index, before + 1, text)
    }
    let receipts = try await log.append([Keyed(key: "d", Data())])
    XCTAssertEqual(receipts.map(\.position.index), [8])
  }

  func test_aMessageOfOthersIsNotReadAndNoAppendSaysThatItHasStoredNothing() async throws {
    for (known, count) in [
      ("0 0", -1), ("0 0", .max), ("0 0", 1 << 24), ("-1 0", 1), ("\(Int64.max) 0", 1),
      ("0 0 0", 1),
    ] {
      let (log, stream) = (try log(), try stream())
      _ = try await log.append([Keyed(key: "a", Data())])
      let headers = ["Log-Known": known, "Log-Count": "\(count)"]
      guard case .stored(let sequence) = try stream.store("b.1", (headers, entry)) else {
        return XCTFail("the stream has this message")
      }
      try await requireUnreachable { _ = try await log.entries(after: nil) }
      if count != 1 << 24 {
        try await requireUnreachable { _ = try await log.append([Keyed(key: "b", Data())]) }
      }
      let deletion = #"{"seq": \#(sequence)}"#
      try stream.request("STREAM.MSG.DELETE", deletion).requireSuccess()
      let entries = try await log.entries(after: nil)
      XCTAssertEqual(entries.first?.key, "a")
    }
  }

  func test_aBatchThatTheServerProcessesTwiceIsThereOnce() throws {
    let stream = try stream()
    let content = (NATSRecord.headers(NATSPlace(), count: 1), entry)
    let sequence = try stream.storeBatch(1, content)
    XCTAssertNotNil(sequence)
    XCTAssertEqual(try stream.storeBatch(1, content), sequence)
    _ = try stream.store("b.2", (NATSRecord.headers(NATSPlace()), Data()))
    XCTAssertNil(try stream.storeBatch(2, content))
  }

  func test_aMessageThatAServerCannotProcessNowIsSentAgain() async throws {
    let stream = try stream()
    // Another connection answers in place of the stream.
    try stream.request("STREAM.DELETE", "").requireSuccess()
    let (connection, subscription) = try subscribe("\(logName).b.1")
    let answering = Task.detached {
      for answer in [
        #"{"error": {"err_code": 10164}}"#, #"{"error": {"err_code": 10163}}"#, #"{"seq": 7}"#,
      ] {
        let message = try XCTUnwrap(try subscription.next(until: .now + .seconds(5)))
        try connection.publish(
          NATSMessage(subject: try XCTUnwrap(message.reply), data: Data(answer.utf8)))
      }
    }
    guard case .stored(7) = try stream.store("b.1", ([:], Data())) else {
      return XCTFail("it is not sent again")
    }
    try await answering.value
  }

  func test_aFewHundredMessagesWaitForAnswersAtATime() async throws {
    let (connection, subscription) = try subscribe(logName)
    let counting = Task.detached {
      var counts: [Int] = []
      while counts.reduce(0, +) < 1_200, counts.count < 20 {
        var requests: [NATSDelivery] = []
        while let request = try subscription.next(until: .now + .milliseconds(200)) {
          requests.append(request)
        }
        for request in requests {
          let reply = try XCTUnwrap(request.reply)
          try connection.publish(NATSMessage(subject: reply, data: request.data))
        }
        counts.append(requests.count)
      }
      return counts
    }
    let texts = (0..<1_200).map { Data("\($0)".utf8) }
    let asking = try NATSConnection(try NATSAddress(NATSEngine.ofTests().address))
    let answers = try asking.ask(texts.map { NATSMessage(subject: logName, data: $0) })
    XCTAssertEqual(answers, texts)
    let counts = try await counting.value
    XCTAssertLessThanOrEqual(try XCTUnwrap(counts.max()), 500)
  }

  func test_aServerThatTakesNothingHoldsNoSenderUpForLong() async throws {
    let (stream, control) = (try stream(), try NATSEngine.ofTests().control)
    try control("freeze")
    let thawing = Task.detached {
      try await Task.sleep(for: .seconds(15))
      try control("thaw")
    }
    defer {
      thawing.cancel()
      _ = try? control("thaw")
    }
    let begin = ContinuousClock.now
    let content = (NATSRecord.headers(NATSPlace(), count: 1), Data(count: 15 << 20))
    try await requireUnreachable { _ = try stream.storeBatch(1, content) }
    XCTAssertLessThan(ContinuousClock.now - begin, .seconds(12))
  }

  func test_whereNoJetStreamAnswersTheFailureSaysSo() throws {
    let connection = try NATSConnection(try NATSAddress(NATSEngine.ofTests().address))
    XCTAssertThrowsError(try connection.ask([NATSMessage(subject: "nobody.\(logName)")])) {
      XCTAssertTrue("\($0)".contains("no JetStream answers"), "\($0)")
    }
  }

  func test_anEpochThatTheLogDoesNotHaveAnyMoreIsForgotten() async throws {
    let stream = try stream()
    let first = try stream.epoch()
    _ = try stream.beginEpoch(after: first)
    let second = try stream.epoch()
    XCTAssertNotEqual(second.epoch, first.epoch)
    let deletion = #"{"seq": \#(second.sequence)}"#
    try stream.request("STREAM.MSG.DELETE", deletion).requireSuccess()
    XCTAssertEqual(try stream.epoch().epoch, first.epoch)
  }

  /// A connection of others, with a subscription that the server knows.
  private func subscribe(
    _ subject: String
  ) throws -> sending (NATSConnection, NATSSubscription) {
    let connection = try NATSConnection(try NATSAddress(NATSEngine.ofTests().address))
    let subscription = try connection.subscribe(subject)
    // The server answers in the order in which it was asked.
    _ = try connection.ask([NATSMessage(subject: "$JS.API.INFO")])
    return (connection, subscription)
  }
}
