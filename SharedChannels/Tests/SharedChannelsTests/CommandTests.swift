import AsyncChannels
import AsyncChannelsTesting
import Foundation
import SharedChannels
import XCTest

/// What becomes of commands.
final class CommandTests: XCTestCase {
  private let log = ScriptedLog()

  private func makeChannel(capacity: Int = 1_024) -> SharedChannel<Guests> {
    SharedChannel(Guests(), log: log, capacity: capacity, rememberedReplies: 100)
  }

  func test_anAnswerComesWhenTheStateHasTheCommand() async throws {
    let channel = makeChannel()
    try await running(channel) {
      let outcome = await channel.add("Ann")
      XCTAssertEqual(outcome?.reply, .done(count: 1))
      let revised = channel.state.value
      XCTAssertEqual(revised.value.names, ["Ann"])
      XCTAssertEqual(outcome, .applied(.done(count: 1), at: try XCTUnwrap(revised.position)))
    }
  }

  func test_commandsThatWaitAreAppendedInOneStep() async throws {
    let channel = makeChannel()
    async let outcomes = await withTaskGroup(of: Guests.Reply?.self) { group in
      for number in 0..<100 { group.addTask { await channel.add("g\(number)")?.reply } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    while channel.waitingCommands < 100 { await Task.yield() }
    async let run: Void = channel.run()
    let replies = await outcomes
    channel.finish()
    await run
    XCTAssertEqual(
      Set(replies.map { "\($0!)" }).count, 100, "each command has another place in the order")
    XCTAssertEqual(log.appends, [100])
    XCTAssertEqual(channel.state.value.value.names.count, 100)
  }

  func test_itCountsHowLongTheLogTook() async throws {
    let (channel, log) = (makeChannel(), log)
    log.isHeld = true
    try await running(channel) {
      async let asked = channel.add("Ann")
      while log.entered == 0 { try await Task.sleep(for: .milliseconds(1)) }
      try await Task.sleep(for: .milliseconds(50))
      log.isHeld = false
      let outcome = await asked
      XCTAssertNotNil(outcome?.reply)
      let time = await channel.counts.appendTime
      XCTAssertGreaterThanOrEqual(time, .milliseconds(50))
    }
  }

  func test_aLostAnswerIsAskedForAgainAndTheCommandAppliedOnce() async throws {
    let channel = makeChannel()
    log.failAppends(.after(LogFailure.unreachable("cut")), .before(LogFailure.unreachable("cut")))
    let health = Probe(channel.health.outlet)
    try await running(channel) {
      let outcome = await channel.add("Ann")
      XCTAssertEqual(outcome?.reply, .done(count: 1))
      let counts = await channel.counts
      XCTAssertEqual([counts.appended, counts.repeated, counts.failedAppends], [1, 1, 2])
    }
    XCTAssertEqual(log.appends, [1, 1, 1])
    XCTAssertEqual(channel.state.value.value.names, ["Ann"])
    let failures = health.values.map(\.appendFailure).map { $0.map { "\($0)" } ?? "none" }
    let changes = failures.reduce(into: [String]()) { if $0.last != $1 { $0.append($1) } }
    XCTAssertEqual(changes, ["none", "cut", "none"])
  }

  func test_askedAgainWithItsKeyACommandHasTheFirstReplyOnAnyMachine() async throws {
    let channel = makeChannel()
    let other = SharedChannel(Guests(), log: ScriptedLog(log.storage))
    try await running(channel, other) {
      let first = await channel.add("Ann", key: "k")
      _ = await channel.commands.ask(Keyed(key: "l", .remove("Ann")))
      let again = await channel.add("Ann", key: "k")
      let elsewhere = await other.add("Ann", key: "k")
      XCTAssertEqual(first?.reply, .done(count: 1))
      XCTAssertEqual(again, first)
      XCTAssertEqual(elsewhere, first)
      // It may have answered before it read the second entry.
      for await revised in other.state where (revised.position?.index ?? 0) >= 2 { break }
      XCTAssertEqual(other.state.value.value.names, [])
    }
  }

  func test_twoCommandsWithOneKeyInOneBatchAreOne() async throws {
    let channel = makeChannel()
    async let first = channel.add("Ann", key: "k")
    while channel.waitingCommands < 1 { await Task.yield() }
    async let second = channel.add("Bob", key: "k")
    while channel.waitingCommands < 2 { await Task.yield() }
    async let run: Void = channel.run()
    let outcomes = await [first, second]
    channel.finish()
    await run
    XCTAssertEqual(outcomes.map(\.?.reply), [.done(count: 1), .done(count: 1)])
    XCTAssertEqual(channel.state.value.value.names, ["Ann"])
  }

  func test_aKeyWhoseReplyIsForgottenIsCalledRepeated() async throws {
    let channel = makeChannel()
    try await running(channel) {
      let first = await channel.add("Ann", key: "k")
      for number in 0..<100 { _ = await channel.add("g\(number)") }
      guard case .applied(_, let position) = first else { return XCTFail("\(first as Any)") }
      let again = await channel.add("Ann", key: "k")
      XCTAssertEqual(again, .repeated(at: position))
    }
  }

  func test_aCommandWhoseAskerHasLeftIsNotAppended() async throws {
    let channel = makeChannel()
    let ann = Task { await channel.add("Ann") }
    while channel.waitingCommands == 0 { await Task.yield() }
    ann.cancel()
    _ = await ann.value
    try await running(channel) {
      _ = await channel.add("Bob")
      let abandoned = await channel.counts.abandoned
      XCTAssertEqual(abandoned, 1)
    }
    XCTAssertEqual(channel.state.value.value.names, ["Bob"])
  }

  func test_whenTheQueueIsFullAnAskerGetsNilImmediately() async throws {
    let channel = makeChannel(capacity: 2)
    let waiting = (0..<2).map { number in Task { await channel.add("g\(number)") } }
    while channel.waitingCommands < 2 { await Task.yield() }
    let outcome = await channel.add("late")
    XCTAssertNil(outcome)
    try await running(channel) {
      for task in waiting { _ = await task.value }
    }
    XCTAssertEqual(Set(channel.state.value.value.names), ["g0", "g1"])
  }

  func test_whatIsSentIsAppliedOnceAndInOneOrderWithWhatIsAsked() async throws {
    let channel = makeChannel()
    log.failAppends(.after(LogFailure.unreachable("cut")))
    for command in [Guests.Command.add("Ann"), .add("Bob"), .remove("Ann")] {
      channel.inlet.send(command)
    }
    try await running(channel) {
      let outcome = await channel.add("Cy")
      XCTAssertEqual(outcome?.reply, .done(count: 2))
      XCTAssertEqual(channel.state.value.value.names, ["Bob", "Cy"])
    }
    XCTAssertEqual(channel.state.value.position?.index, 4)
  }

  func test_whatIsSentIsDroppedIfTheQueueIsFullOrItCannotBeStored() async throws {
    let channel = makeChannel(capacity: 3)
    channel.inlet.send(.add(String(repeating: "x", count: 4 << 20)))
    for name in ["Ann", "Bob", "late"] { channel.inlet.send(.add(name)) }
    channel.finish()
    try await within { await channel.run() }
    XCTAssertEqual(channel.state.value.value.names, ["Ann", "Bob"])
    let counts = await channel.counts
    XCTAssertEqual([counts.appended, counts.notStored], [2, 1])
  }

  func test_theStateOfAnEmptyLogHasTheLogsBeginningAsItsPosition() async throws {
    let channel = makeChannel()
    XCTAssertNil(channel.state.value.position)
    try await running(channel) { [log] in
      for await health in channel.health where health.isReady { break }
      let end = try await log.end()
      XCTAssertEqual(channel.state.value.position, end)
      XCTAssertEqual(end.index, 0)
    }
  }

  func test_whatCanNeverBeStoredIsAnsweredWithTheReason() async throws {
    let channel = makeChannel()
    try await running(channel) {
      for key in ["", "é", "a\u{0}b", "a\nb", String(repeating: "k", count: 256)] {
        let outcome = await channel.add("Ann", key: key)
        XCTAssertEqual(
          outcome, .notStored("a key has 1 to 255 characters of ASCII that can be printed"))
      }
      let large = await channel.add(String(repeating: "x", count: 4 << 20))
      XCTAssertEqual(large, .notStored("an encoded command has at most 4194304 bytes"))
      let notStored = await channel.counts.notStored
      XCTAssertEqual(notStored, 6)
    }
    XCTAssertEqual(log.appends, [])
  }

  func test_manyLargeCommandsAreSeveralBatches() async throws {
    let channel = makeChannel()
    let names = (0..<5).map { "\($0)" + String(repeating: "x", count: 3 << 20) }
    let asked = names.map { name in Task { await channel.add(name) } }
    while channel.waitingCommands < 5 { await Task.yield() }
    try await running(channel) {
      for task in asked {
        let outcome = await task.value
        XCTAssertNotNil(outcome?.reply)
      }
    }
    XCTAssertEqual(log.appends, [2, 2, 1])
  }

  func test_whatTheEngineRefusesIsNotStoredAndTheNextMayBe() async throws {
    let channel = makeChannel()
    log.failAppends(.before(LogFailure.refused("disk full")))
    // It may append a blank entry before a test that was answered looks at its health.
    let health = Probe(channel.health.outlet)
    try await running(channel) {
      let refused = await channel.add("Ann")
      XCTAssertEqual(refused, .notStored("disk full"))
      XCTAssertEqual(health.values.compactMap(\.appendFailure), ["disk full"])
      let next = await channel.add("Bob")
      XCTAssertEqual(next?.reply, .done(count: 1))
      XCTAssertNil(channel.health.value.appendFailure)
    }
  }

  func test_aBatchThatMayBeStoredIsNotCalledNotStoredWhenALaterTryIsRefused() async throws {
    let channel = makeChannel()
    let unknown: [any Error] = [LogFailure.unreachable("cut"), CancellationError()]
    let health = Probe(channel.health.outlet)
    for (number, error) in unknown.enumerated() {
      log.failAppends(.after(error), .before(LogFailure.refused("disk full")))
      try await running(channel) {
        let unanswered = await channel.add("g\(number)", key: "k\(number)")
        XCTAssertNil(unanswered)
        XCTAssertEqual(health.values.compactMap(\.appendFailure).last, "disk full")
        let again = await channel.add("g\(number)", key: "k\(number)")
        XCTAssertEqual(again?.reply, .done(count: number + 1))
      }
    }
    let notStored = await channel.counts.notStored
    XCTAssertEqual(notStored, 0)
    XCTAssertEqual(channel.state.value.value.names, ["g0", "g1"])
  }

  func test_aServerWhoseAppendsFailIsNotServingUntilTheySucceedThoughNobodyAsks() async throws {
    let channel = makeChannel()
    let full = (0..<4).map { _ in ScriptedLog.Failure.before(LogFailure.refused("disk full")) }
    log.failAppends(full)
    let log = log
    let seen = Probe(channel.health.outlet)
    try await running(channel) {
      let refused = await channel.add("Ann")
      XCTAssertEqual(refused, .notStored("disk full"))
      let failed = seen.values.filter { $0.appendFailure == "disk full" }
      XCTAssertFalse(failed.isEmpty)
      XCTAssertFalse(failed.contains(where: \.isServing))
      for await health in channel.health where health.isServing { break }
      // Its trials are blank entries: the first that was stored takes a place, and changes nothing.
      for await revised in channel.state where revised.position?.index == 1 { break }
      let next = await channel.add("Bob")
      XCTAssertEqual(next?.reply, .done(count: 1))
      XCTAssertEqual(channel.state.value.position?.index, 2)
      let counts = await channel.counts
      XCTAssertEqual(counts.failedAppends, 4)
      XCTAssertEqual(counts.applied, 1)
      XCTAssertEqual(log.appends.count, 6)
    }
  }

  func test_anUnreachableLogWhoseAskersHaveLeftIsTriedToo() async throws {
    let channel = makeChannel()
    log.failAppends(.before(LogFailure.unreachable("cut")))
    try await running(channel) {
      let asking = Task { await channel.add("Ann") }
      for await health in channel.health where health.appendFailure != nil { break }
      asking.cancel()
      _ = await asking.value
      for await health in channel.health where health.isServing { break }
    }
    XCTAssertEqual(channel.state.value.value.names, [])
  }

  func test_aCommandThatCannotBeDecodedAgainIsNotStored() async throws {
    let channel = SharedChannel(Strict(), log: log)
    try await running(channel) {
      let outcome = await channel.commands.ask(Keyed(key: "k", Strict.Name("")))
      guard case .notStored(let reason)? = outcome else { return XCTFail("it was stored") }
      XCTAssertTrue(reason.hasPrefix("the command cannot be encoded and decoded"), reason)
    }
    XCTAssertEqual(log.appends, [])
  }

  func test_aCommandIsRehearsedOnceThoughItIsAskedTwice() async throws {
    let channel = SharedChannel(Strict(), log: log)
    async let first = channel.commands.ask(Keyed(key: "k", Strict.Name("Ann")))
    async let second = channel.commands.ask(Keyed(key: "k", Strict.Name("Ann")))
    while channel.waitingCommands < 2 { await Task.yield() }
    async let running: Void = channel.run()
    let (one, other) = await (first, second)
    XCTAssertEqual(one?.reply, 1)
    XCTAssertEqual(other, one)
    let again = await channel.commands.ask(Keyed(key: "k", Strict.Name("Ann")))
    XCTAssertEqual(again, one)
    channel.finish()
    await running
  }
}

/// Traps if a name comes twice, and does not decode an empty one.
private struct Strict: SharedState {
  struct Name: Codable, Sendable, Equatable {
    let text: String

    init(_ text: String) { self.text = text }

    init(from decoder: any Decoder) throws {
      text = try decoder.singleValueContainer().decode(String.self)
      if text.isEmpty { throw CocoaError(.coderInvalidValue) }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(text)
    }
  }

  private var names: [String] = []

  mutating func apply(_ name: Name) -> Int {
    precondition(!names.contains(name.text), "\(name.text) is there")
    names.append(name.text)
    return names.count
  }
}
