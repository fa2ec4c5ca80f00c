import Foundation
import SharedChannels
import XCTest

@testable import SharedLogNATS

/// What the engine does with messages and answers that only a fault, a set-back, a newer server or others bring about.
/// Over one server of the tests' own. Skipped without it.
final class NATSStreamTests: XCTestCase {
  private let logName = "log" + UUID().uuidString.lowercased().filter(\.isHexDigit).prefix(16)

  private func log() throws -> any SharedLog { try NATSEngine.ofTests().open(logName) }

  private func stream() throws -> NATSStream {
    let address = try NATSAddress(NATSEngine.ofTests().address)
    return try NATSStream(address, name: logName, replicas: 1)
  }

  private func record(after newest: NATSRecord, key: String) -> NATSRecord {
    var record = newest.next()
    (record.count, record.data) = (1, NATSRecord.encode([Keyed(key: key, Data())]))
    return record
  }

  func test_aTailSkipsWhatItsReaderHas() async throws {
    let (log, stream) = (try log(), try stream())
    _ = try await log.append([Keyed(key: "a", Data())])
    // As if another replica, which the tail does not follow, had the next batch already.
    let tail = try stream.tail(after: try stream.newest().sequence + 1)
    for key in ["b", "c"] { _ = try await log.append([Keyed(key: key, Data())]) }
    let record = try XCTUnwrap(try tail.nextRecord(until: .now + .seconds(5)))
    XCTAssertEqual(try record.entries().map(\.key), ["c"])
    XCTAssertEqual(record.index, 2)
  }

  func test_anAppenderThatComesSecondAppendsBehindTheFirst() throws {
    let (one, other) = (try stream(), try stream())
    for isFresh in [true, false] {
      var calls = 0
      let stored = try one.store { newest in
        calls += 1
        if calls < 5 { _ = try other.append([Keyed(key: "o\(calls)\(isFresh)", Data())]) }
        return record(after: newest, key: "k\(isFresh)")
      }
      XCTAssertEqual(calls, 5)
      XCTAssertEqual(stored?.index, isFresh ? 4 : 9)
    }
    XCTAssertEqual(try one.end().index, 10)
  }

  func test_ofTheSameKeysFromTwoMachinesAtOnceTheLogHasOne() async throws {
    let logs = [try log(), try log()]
    let receipts = try await withThrowingTaskGroup(of: [Receipt].self) { group in
      for log in logs {
        group.addTask {
          var receipts: [Receipt] = []
          for number in 0..<200 {
            receipts += try await log.append([Keyed(key: "k\(number)", Data())])
          }
          return receipts
        }
      }
      return try await group.reduce(into: [[Receipt]]()) { $0.append($1) }
    }
    XCTAssertEqual(receipts[0].map(\.position), receipts[1].map(\.position))
    XCTAssertTrue(zip(receipts[0], receipts[1]).allSatisfy { $0.isRepeated != $1.isRepeated })
    let count = try await allEntries(of: logs[0]).count
    XCTAssertEqual(count, 200)
  }

  func test_aBatchWhoseAnswerWasLostIsFoundIfItWasStored() async throws {
    let (log, stream) = (try log(), try stream())
    _ = try await log.append([Keyed(key: "a", Data())])
    let newest = try stream.newest()
    guard
      case .stored(let sequence) = try stream.store(
        record(after: newest, key: "k"), after: newest.sequence)
    else { return XCTFail("it is the next") }
    let again = try await log.append([Keyed(key: "k", Data())])
    XCTAssertEqual(again.map(\.isRepeated), [true])
    XCTAssertEqual(again[0].position.index, 2)
    XCTAssertEqual(NATSRecord.sequence(ofMark: again[0].position.mark), sequence)
  }

  func test_aBatchThatComesLateIsNotStoredBehindAnother() async throws {
    let (log, stream) = (try log(), try stream())
    _ = try await log.append([Keyed(key: "a", Data())])
    let newest = try stream.newest()
    let late = record(after: newest, key: "k")
    let again = try await log.append([Keyed(key: "k", Data())])
    XCTAssertEqual(again.map(\.isRepeated), [false])
    guard case .taken = try stream.store(late, after: newest.sequence) else {
      return XCTFail("it was stored behind another")
    }
    let end = try await log.end()
    XCTAssertEqual(end.index, 2)
  }

  func test_aBatchThatTheServerProcessesTwiceIsThereOnce() throws {
    let stream = try stream()
    _ = try stream.append([Keyed(key: "a", Data())])
    var first: NATSRecord?
    let stored = try stream.store(id: 7) { newest in
      var record = record(after: newest, key: "k")
      record.id = 7
      XCTAssertNil(first, "it is tried again")
      first = record
      guard case .stored = try stream.store(record, after: newest.sequence) else { return nil }
      return record
    }
    XCTAssertEqual(stored?.id, 7)
    XCTAssertEqual(stored?.index, first?.index)
    XCTAssertEqual(try stream.end().index, 2)
    XCTAssertEqual(try stream.append([Keyed(key: "k", Data())]).map(\.isRepeated), [true])
  }

  func test_keysAreKnownAfterAStartAndAfterASetBack() throws {
    _ = try stream().append([Keyed(key: "a", Data())])
    let keys = NATSKeys()
    let address = try NATSAddress(NATSEngine.ofTests().address)
    func connect() throws -> NATSStream {
      try NATSStream(address, name: logName, replicas: 1, keys)
    }
    XCTAssertEqual(try connect().append([Keyed(key: "a", Data())]).map(\.isRepeated), [true])
    XCTAssertEqual(keys.newest?.end.index, 1)
    _ = try stream().append([Keyed(key: "b", Data())])
    XCTAssertEqual(try connect().append([Keyed(key: "b", Data())]).map(\.isRepeated), [true])
    // Another log is in its place, which is longer.
    try stream().request("STREAM.DELETE", "").requireSuccess()
    for key in ["c", "d", "e", "f"] { _ = try stream().append([Keyed(key: key, Data())]) }
    let receipts = try connect().append(["a", "b", "c"].map { Keyed(key: $0, Data()) })
    XCTAssertEqual(receipts.map(\.isRepeated), [false, false, true])
    XCTAssertEqual(receipts.map(\.position.index), [5, 6, 1])
  }

  func test_keysAreForgottenWithTheirEntriesAndKeepNoMemory() throws {
    let keys = NATSKeys()
    var last = NATSRecord()
    for number in 0..<300 {
      var next = last.next()
      next.sequence = last.sequence + 2
      if number % 10 == 9 {
        next.first = max(next.index - 1_000, 1)
      } else {
        let batch = (0..<100).map { Keyed(key: "\(number) \($0)", Data()) }
        (next.count, next.data) = (100, NATSRecord.encode(batch))
      }
      try keys.take(next)
      last = next
    }
    XCTAssertEqual(keys.batches(with: ["298 5"]), [598])
    XCTAssertEqual(keys.batches(with: ["0 5"]), [])
    XCTAssertEqual(keys.firstSequence, 576)
  }

  func test_whileEntriesAreDeletedAReaderReadsOnAndOneThatIsBehindIsTold() async throws {
    let (log, stream) = (try log(), try stream())
    var positions: [Position] = []
    var read: [Position] = []
    for round in 0..<60 {
      let batch = (0..<10).map { Keyed(key: "\(round)-\($0)", Data()) }
      positions += try stream.append(batch).map(\.position)
      if round % 20 == 19 {
        let position = try XCTUnwrap(positions.last)
        try stream.keep(Snapshot(version: 1, position: position, data: Data("s".utf8)))
        let count = try stream.compact(before: .max, behind: position)
        XCTAssertEqual(count, round == 19 ? 199 : 200)
        XCTAssertEqual(try stream.compact(before: .max, behind: position), 0)
      }
      if round % 7 != 1 { read += try await log.entries(after: read.last).map(\.position) }
    }
    XCTAssertEqual(read, positions)
    for index in [1, 40, 599] {
      do {
        _ = try await self.log().entries(after: positions[index - 1])
        XCTFail("the entry \(index) is deleted")
      } catch LogFailure.gap(Int64(index), found: 600) {}
    }
    // Of the messages, those of the newest batches are there.
    let state = try stream.request("STREAM.INFO", #"{"subjects_filter": "\#(logName).b"}"#).state
    XCTAssertLessThanOrEqual(try XCTUnwrap(state?.subjects?.values.first), 3)
    let again = try stream.append([Keyed(key: "59-8", Data()), Keyed(key: "59-9", Data())])
    XCTAssertEqual(again.map(\.isRepeated), [false, true])
  }

  func test_aBatchWithABlankEntryIsReadAndItsKeysAreKnownUntilItIsDeleted() async throws {
    var keys: [String] = []
    for round in 0..<4 {
      let batch = (0..<10).map { Keyed(key: "\(round)-\($0)", Data("content".utf8)) }
      _ = try stream().append(batch)
      keys += batch.map(\.key)
    }
    for index in [1, 40, 15, 14, 25] {
      let entry = try await allEntries(of: log())[index - 1]
      try stream().blank(entry.position)
    }
    let log = try log()
    let entries = try await allEntries(of: log)
    XCTAssertEqual(entries.map(\.key), keys)
    XCTAssertEqual(entries.filter(\.value.isEmpty).map(\.position.index), [1, 14, 15, 25, 40])
    let middle = try await log.entries(after: entries[16].position)
    XCTAssertEqual(middle, Array(entries[17...].prefix(middle.count)))
    let stream = try stream()
    let again = try stream.append(keys.map { Keyed(key: $0, Data()) })
    XCTAssertEqual(again.map(\.position), entries.map(\.position))
    XCTAssertTrue(again.allSatisfy(\.isRepeated))
    try stream.keep(Snapshot(version: 1, position: entries[24].position, data: Data()))
    XCTAssertEqual(try stream.compact(before: 23, behind: entries[24].position), 22)
    XCTAssertEqual(try stream.subjects("x.*").count, 2)
    let rest = try await allEntries(of: self.log())
    XCTAssertEqual(rest, Array(entries[22...]))
    let fresh = try self.stream().append(keys[20...24].map { Keyed(key: $0, Data()) })
    XCTAssertEqual(fresh.map(\.isRepeated), [false, false, true, true, true])
  }

  func test_aStreamOfTheFormerKindIsRefused() throws {
    let connection = try NATSConnection(try NATSAddress(NATSEngine.ofTests().address))
    let configuration =
      #"{"name": "\#(logName)", "subjects": ["\#(logName).>"], "max_msgs_per_subject": 1}"#
    let request = NATSMessage(
      subject: "$JS.API.STREAM.CREATE.\(logName)", data: Data(configuration.utf8))
    try NATSAnswer(try connection.ask(request)).requireSuccess()
    XCTAssertThrowsError(try stream()) {
      guard case LogFailure.refused(let reason) = $0 else { return XCTFail("\($0)") }
      XCTAssertTrue(reason.contains("before 27 November 2026"), reason)
    }
  }

  func test_aMessageOfOthersIsNotReadAndNoAppendSaysThatItHasStoredNothing() async throws {
    for text in [
      "", "1 0 0 1 1", "x 0 0 1 1 e", "1 -1 0 1 1 e", "1 0 0 -1 1 e", "1 0 0 \(Int64.max) 1 e",
      "1 0 0 1 0 e", "1 \(Int64.max) 0 1 1 e", "1 1 0 \(1 << 24) 1 e",
    ] {
      let (log, stream) = (try log(), try stream())
      _ = try await log.append([Keyed(key: "a", Data())])
      guard
        case .stored(let sequence) = try stream.store(
          "b", Data(), [NATSRecord.header: text], after: nil)
      else { return XCTFail("nothing is expected") }
      try await requireUnreachable {
        var position: Position?
        while true { position = try await log.entries(after: position).last?.position }
      }
      try await requireUnreachable { _ = try await log.append([Keyed(key: "b", Data())]) }
      let deletion = #"{"seq": \#(sequence)}"#
      try stream.request("STREAM.MSG.DELETE", deletion).requireSuccess()
      // A server of 2.9.10 may not find the newest record until then.
      try NATSEngine.ofTests().control("crash")
      let entries = try await self.log().entries(after: nil)
      XCTAssertEqual(entries.first?.key, "a")
    }
  }

  func test_aMessageThatAServerCannotProcessNowIsSentAgain() async throws {
    let stream = try stream()
    // Another connection answers in place of the stream.
    try stream.request("STREAM.DELETE", "").requireSuccess()
    let (connection, subscription) = try subscribe("\(logName).b")
    let answering = Task.detached {
      for answer in [
        #"{"error": {"err_code": 10164}}"#, #"{"error": {"err_code": 10163}}"#, #"{"seq": 7}"#,
      ] {
        let message = try XCTUnwrap(try subscription.next(until: .now + .seconds(5)))
        try connection.publish(
          NATSMessage(subject: try XCTUnwrap(message.reply), data: Data(answer.utf8)))
      }
    }
    guard case .stored(7) = try stream.store(NATSRecord(), after: 0) else {
      return XCTFail("it is not sent again")
    }
    try await answering.value
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
    let record = NATSRecord(count: 1, data: Data(count: 15 << 20))
    try await requireUnreachable { _ = try stream.store(record, after: 1) }
    XCTAssertLessThan(ContinuousClock.now - begin, .seconds(12))
  }

  func test_whereNoJetStreamAnswersTheFailureSaysSo() throws {
    let connection = try NATSConnection(try NATSAddress(NATSEngine.ofTests().address))
    XCTAssertThrowsError(try connection.ask(NATSMessage(subject: "nobody.\(logName)"))) {
      XCTAssertTrue("\($0)".contains("no JetStream answers"), "\($0)")
    }
  }

  /// A connection of others, with a subscription that the server knows.
  private func subscribe(
    _ subject: String
  ) throws -> sending (NATSConnection, NATSSubscription) {
    let connection = try NATSConnection(try NATSAddress(NATSEngine.ofTests().address))
    let subscription = try connection.subscribe(subject)
    // The server answers in the order in which it was asked.
    _ = try connection.ask(NATSMessage(subject: "$JS.API.INFO"))
    return (connection, subscription)
  }
}
