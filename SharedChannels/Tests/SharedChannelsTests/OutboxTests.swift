import AsyncChannels
import Foundation
import ServiceLifecycle
import ServiceLifecycleTestKit
import XCTest

@testable import SharedChannels

/// Orders, for each of which a mail is sent. A second order with the same name is refused, and no mail is.
private struct Shop: SharedState {
  enum Command: Codable, Sendable {
    case order(String)
    case mails(Outbox<String>.Command)
  }

  private(set) var orders: Set<String> = []
  private(set) var mails = Outbox<String>()

  mutating func apply(_ command: Command) -> Bool {
    switch command {
    case .order(let name):
      guard orders.insert(name).inserted else { return false }
      mails.add("to \(name)", key: name)
    case .mails(let command): mails.apply(command)
    }
    return true
  }
}

private struct NewShop: SharedState {
  private(set) var shop = Shop()
  static var version: Int { 2 }

  mutating func apply(_ command: Shop.Command) -> Bool { shop.apply(command) }
}

/// What was carried out.
private final class Ledger: Sendable {
  private let lines = CurrentValue<[String]>([])
  var sent: [String] { lines.value }

  func note(_ line: String) { lines.update { $0.append(line) } }

  func waitUntil(_ isEnough: @Sendable ([String]) -> Bool) async {
    for await lines in lines.outlet where isEnough(lines) { return }
  }
}

private struct WrongAddress: Error {}

private func shop(_ storage: MemoryLog.Storage, snapshotInterval: Int = 10_000) -> SharedChannel<
  Shop
> {
  SharedChannel(Shop(), log: MemoryLog(storage), snapshotInterval: snapshotInterval)
}

private func worker(
  _ shop: SharedChannel<Shop>, _ ledger: Ledger, lease: Duration = .seconds(60),
  _ carryOut: (@Sendable (String) async throws -> Void)? = nil
) -> OutboxWorker<Shop, String> {
  OutboxWorker(
    shop, \.mails, command: { .mails($0) }, lease: lease, tries: 3, pause: .zero
  ) { mail, key in
    XCTAssertEqual(mail, "to \(key)")
    try await carryOut?(key)
    ledger.note(key)
  }
}

/// A machine of its own, which fails when its task is cancelled.
private func machine(_ services: any Service...) -> Task<Void, any Error> {
  Task {
    try await withThrowingTaskGroup { group in
      for service in services {
        group.addTask { try await service.run() }
      }
      try await group.waitForAll()
    }
  }
}

/// Waits until no effect waits.
private func drain(_ shop: SharedChannel<Shop>) async {
  for await shop in shop.state where shop.value.mails.waiting.isEmpty { return }
}

final class OutboxTests: XCTestCase {
  func test_effectsAreCarriedOutInTheirOrder_andThenNothingIsAppended() async throws {
    let (shop, ledger) = (shop(.init()), Ledger())
    let names = (0..<50).map { "guest \($0)" }
    try await running(shop, worker(shop, ledger, lease: .milliseconds(900))) {
      for name in names {
        let outcome = await shop.order(name)
        XCTAssertEqual(outcome?.reply, true)
        let again = await shop.order(name)
        XCTAssertEqual(again?.reply, false)
      }
      await drain(shop)
      XCTAssertEqual(ledger.sent, names)
      let index = shop.state.value.position?.index
      try await Task.sleep(for: .seconds(1))
      XCTAssertEqual(shop.state.value.position?.index, index)
      XCTAssertTrue(shop.state.value.value.mails.parked.isEmpty)
    }
  }

  func test_oneMachineWorks_andWhenItIsGoneTheOtherGoesOn() async throws {
    let storage = MemoryLog.Storage()
    let (one, other) = (shop(storage), shop(storage))
    let (begun, ledger) = (Ledger(), Ledger())
    let lease = Duration.seconds(2)
    let failing = machine(
      one,
      worker(one, ledger, lease: lease) { key in
        begun.note(key)
        if key == "3" { try await Task.sleep(for: .seconds(600)) }
      })
    try await running(other) {
      for name in 0..<5 { _ = await other.order("\(name)") }
      await begun.waitUntil { $0.count == 4 }
      let working = machine(worker(other, ledger, lease: lease))
      // The first machine goes on, although its effect takes longer than a lease.
      try await Task.sleep(for: lease * 1.5)
      XCTAssertEqual(ledger.sent, ["0", "1", "2"])
      failing.cancel()
      _ = await failing.result
      await drain(other)
      XCTAssertEqual(begun.sent, ["0", "1", "2", "3"])
      XCTAssertEqual(ledger.sent, ["0", "1", "2", "3", "4"])
      working.cancel()
    }
  }

  func test_aShutdownCarriesOutWhatHasBegun_andTheOtherMachineGoesOnAtOnce() async throws {
    let storage = MemoryLog.Storage()
    let (one, other) = (shop(storage), shop(storage))
    let (begun, ledger) = (Ledger(), Ledger())
    let isHeld = CurrentValue(true)
    try await running(one, other) {
      for name in ["a", "b"] { _ = await other.order(name) }
      // It would wait for a minute if the first kept the lease.
      let waiting = Task {
        await begun.waitUntil { $0 == ["a"] }
        await worker(other, ledger).run()
      }
      await testGracefulShutdown { trigger in
        let working = Task {
          await worker(one, ledger) { key in
            begun.note(key)
            for await isHeld in isHeld.outlet where !isHeld { break }
          }.run()
        }
        await begun.waitUntil { $0 == ["a"] }
        trigger.triggerGracefulShutdown()
        isHeld.value = false
        await working.value
      }
      await drain(other)
      XCTAssertEqual(begun.sent, ["a"])
      XCTAssertEqual(ledger.sent, ["a", "b"])
      waiting.cancel()
    }
  }

  func test_aMachineThatWaitsForTheLeaseEndsAtOnce() async throws {
    let (shop, begun) = (shop(.init()), Ledger())
    try await running(
      shop,
      worker(shop, Ledger()) { key in
        begun.note(key)
        try await Task.sleep(for: .seconds(600))
      }
    ) {
      _ = await shop.order("a")
      await begun.waitUntil { $0 == ["a"] }
      await testGracefulShutdown { trigger in
        let waiting = Task { await worker(shop, Ledger()).run() }
        try? await Task.sleep(for: .milliseconds(50))
        trigger.triggerGracefulShutdown()
        await waiting.value
      }
    }
  }

  func test_aMachineThatWasIdleBeginsNothingWhenItCannotTellTheLog() async throws {
    let storage = MemoryLog.Storage()
    let log = ScriptedLog(storage)
    let (one, other) = (SharedChannel(Shop(), log: log), shop(storage))
    let (begun, ledger) = (Ledger(), Ledger())
    let lease = Duration.milliseconds(600)
    let cutOff = worker(one, ledger, lease: lease) { begun.note($0) }
    try await running(one, other, cutOff) {
      _ = await other.order("a")
      await drain(other)
      try await Task.sleep(for: lease)
      log.isHeld = true
      _ = await other.order("b")
      let working = machine(worker(other, ledger, lease: lease))
      await drain(other)
      XCTAssertEqual(begun.sent, ["a"])
      XCTAssertEqual(ledger.sent, ["a", "b"])
      XCTAssertTrue(other.state.value.value.mails.parked.isEmpty)
      log.isHeld = false
      working.cancel()
    }
  }

  func test_aMachineWhoseVersionWasReplacedBeginsNothing() async throws {
    let storage = MemoryLog.Storage()
    let old = shop(storage)
    let new = SharedChannel(NewShop(), log: MemoryLog(storage), takesOver: false)
    let (begun, ledger) = (Ledger(), Ledger())
    let isHeld = CurrentValue(true)
    let lease = Duration.milliseconds(900)
    let oldWorker = worker(old, ledger, lease: lease) { key in
      begun.note(key)
      for await isHeld in isHeld.outlet where !isHeld { break }
    }
    let newWorker = OutboxWorker(new, \.shop.mails, command: { .mails($0) }, lease: lease) {
      _, key in
      ledger.note("new \(key)")
    }
    try await running(old, new, oldWorker, newWorker) {
      for name in ["a", "b"] { _ = await old.order(name) }
      await begun.waitUntil { $0 == ["a"] }
      try await new.takeOver()
      for await health in old.health where health.role == .replaced(by: 2) { break }
      isHeld.value = false
      for await state in new.state where state.value.shop.mails.waiting.isEmpty { break }
      XCTAssertEqual(begun.sent, ["a"])
      XCTAssertEqual(ledger.sent, ["a", "new a", "new b"])
      // It does not ask again and again.
      let counts = await old.counts
      XCTAssertEqual(counts.notStored, 1)
    }
  }

  func test_anEffectThatFailsIsTriedAgain_thenParked_andThoseBehindItGoOn() async throws {
    let (shop, tried, ledger) = (shop(.init()), Ledger(), Ledger())
    let isMended = CurrentValue(false)
    let working = worker(shop, ledger) { key in
      tried.note(key)
      if key == "bad", !isMended.value { throw WrongAddress() }
      if key == "flaky", tried.sent.count(where: { $0 == "flaky" }) < 3 { throw WrongAddress() }
    }
    try await running(shop, working) {
      for name in ["good", "bad", "flaky", "last"] { _ = await shop.order(name) }
      await drain(shop)
      XCTAssertEqual(tried.sent, ["good", "bad", "bad", "bad", "flaky", "flaky", "flaky", "last"])
      XCTAssertEqual(ledger.sent, ["good", "flaky", "last"])
      let parked = shop.state.value.value.mails.parked
      XCTAssertEqual(parked.map(\.key), ["bad"])
      XCTAssertEqual(parked.first?.tries, 3)
      XCTAssertEqual(parked.first?.failure, "WrongAddress()")
      isMended.value = true
      _ = await shop.commands.ask(Keyed(key: "again", .mails(.retry("bad"))))
      await drain(shop)
      XCTAssertEqual(ledger.sent.last, "bad")
      XCTAssertTrue(shop.state.value.value.mails.parked.isEmpty)
    }
  }

  func test_aFailedEffectPausesLongerAndLonger() async throws {
    let shop = shop(.init())
    let times = CurrentValue<[ContinuousClock.Instant]>([])
    let working = OutboxWorker(
      shop, \.mails, command: { .mails($0) }, tries: 3, pause: .milliseconds(100)
    ) { _, _ in
      times.update { $0.append(.now) }
      throw WrongAddress()
    }
    try await running(shop, working) {
      _ = await shop.order("bad")
      await drain(shop)
      XCTAssertEqual(times.value.count, 3)
      XCTAssertGreaterThanOrEqual(times.value[1] - times.value[0], .milliseconds(100))
      XCTAssertGreaterThanOrEqual(times.value[2] - times.value[1], .milliseconds(200))
    }
  }

  func test_aParkedEffectCanBeRemoved_andUnknownOnesChangeNothing() {
    var mails = Outbox<String>()
    mails.add("to Ann", key: "Ann")
    mails.apply(.begin(.init(name: "one", lease: 1), since: 0, tries: 1))
    mails.apply(.fail("one", "Ann", "no", tries: 1))
    let activity = mails.activity
    mails.apply(.retry("Bob"))
    mails.apply(.remove("Bob"))
    XCTAssertEqual(mails.parked.map(\.key), ["Ann"])
    mails.add("to Ann", key: "Ann")
    XCTAssertTrue(mails.waiting.isEmpty, "it is parked")
    mails.apply(.retry("Ann"))
    mails.add("to Ann", key: "Ann")
    XCTAssertEqual(mails.waiting.map(\.key), ["Ann"])
    XCTAssertEqual(mails.waiting.first?.tries, 0)
    mails.apply(.remove("Ann"))
    XCTAssertEqual(mails.waiting.map(\.key), ["Ann"], "only parked ones are removed")
    // Else others would take the worker for active.
    XCTAssertEqual(mails.activity, activity)
    mails.apply(.fail("one", "Ann", "no", tries: 1))
    mails.apply(.remove("Ann"))
    XCTAssertTrue(mails.parked.isEmpty && mails.waiting.isEmpty)
  }

  func test_ofTwoThatBeginAtOnceOneDoes() {
    var mails = Outbox<String>()
    mails.add("to Ann", key: "Ann")
    let known = mails.activity
    mails.apply(.begin(.init(name: "one", lease: 1), since: known, tries: 3))
    mails.apply(.begin(.init(name: "other", lease: 1), since: known, tries: 3))
    XCTAssertEqual(mails.worker?.name, "one")
    XCTAssertEqual(mails.waiting.first?.tries, 0)
    // What another says changes nothing.
    let activity = mails.activity
    mails.apply(.goOn("other"))
    mails.apply(.end("other"))
    mails.apply(.fail("other", "Ann", "no", tries: 1))
    XCTAssertEqual(mails.worker?.name, "one")
    XCTAssertEqual(mails.waiting.first?.tries, 0)
    XCTAssertEqual(mails.activity, activity)
    // It goes on just before the other replaces it.
    mails.apply(.goOn("one"))
    mails.apply(.begin(.init(name: "other", lease: 1), since: activity, tries: 3))
    XCTAssertEqual(mails.worker?.name, "one")
    mails.apply(.begin(.init(name: "other", lease: 1), since: mails.activity, tries: 3))
    XCTAssertEqual(mails.worker?.name, "other")
    XCTAssertEqual(mails.waiting.first?.tries, 1)
  }

  func test_whatAReplacedWorkerHasDoneIsDone_alsoIfItIsParked() {
    var mails = Outbox<String>()
    mails.add("to Ann", key: "Ann")
    mails.apply(.begin(.init(name: "one", lease: 1), since: 0, tries: 1))
    mails.apply(.begin(.init(name: "other", lease: 1), since: mails.activity, tries: 1))
    XCTAssertEqual(mails.parked.map(\.failure), ["its worker (one) was gone"])
    mails.apply(.succeed("one", "Ann"))
    XCTAssertTrue(mails.parked.isEmpty && mails.waiting.isEmpty)
  }

  func test_anEffectThatCameAfterItsWorkerWasGoneIsNotTried() {
    var mails = Outbox<String>()
    mails.add("to Ann", key: "Ann")
    mails.apply(.begin(.init(name: "one", lease: 1), since: 0, tries: 1))
    mails.apply(.succeed("one", "Ann"))
    mails.add("to Bob", key: "Bob")
    mails.apply(.begin(.init(name: "other", lease: 1), since: mails.activity, tries: 1))
    XCTAssertEqual(mails.waiting.map(\.tries), [0])
    XCTAssertTrue(mails.parked.isEmpty)
  }

  /// Stored logs and snapshots have it.
  func test_theCodingStaysAsItIs() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    typealias Command = Outbox<String>.Command
    let commands: [(Command, String)] = [
      (
        .begin(.init(name: "w", lease: 10), since: 2, tries: 5),
        #"{"begin":{"since":2,"tries":5,"worker":{"hasBegun":false,"lease":10,"name":"w"}}}"#
      ),
      (.goOn("w"), #"{"goOn":{"worker":"w"}}"#),
      (.end("w"), #"{"end":{"worker":"w"}}"#),
      (.succeed("w", "k"), #"{"succeed":{"key":"k","worker":"w"}}"#),
      (
        .fail("w", "k", "no", tries: 5),
        #"{"fail":{"key":"k","reason":"no","tries":5,"worker":"w"}}"#
      ),
      (.retry("k"), #"{"retry":{"key":"k"}}"#),
      (.remove("k"), #"{"remove":{"key":"k"}}"#),
    ]
    for (command, step) in commands {
      let text = String(decoding: try encoder.encode(command), as: UTF8.self)
      XCTAssertEqual(text, #"{"step":\#(step)}"#)
    }
    var mails = Outbox<String>()
    for name in ["Ann", "Bob"] { mails.add("to \(name)", key: name) }
    mails.apply(.begin(.init(name: "w", lease: 10), since: 0, tries: 1))
    mails.apply(.fail("w", "Ann", "no", tries: 1))
    let text = """
      {"activity":2,"parked":[{"effect":"to Ann","failure":"no","key":"Ann","tries":1}],\
      "waiting":[{"effect":"to Bob","key":"Bob","tries":0}],\
      "worker":{"hasBegun":true,"lease":10,"name":"w"}}
      """
    XCTAssertEqual(String(decoding: try encoder.encode(mails), as: UTF8.self), text)
    let decoded = try JSONDecoder().decode(Outbox<String>.self, from: Data(text.utf8))
    XCTAssertEqual(try encoder.encode(decoded), try encoder.encode(mails))
  }

  func test_aMachineThatLostItsLeaseGoesOnByItself() async throws {
    let log = ScriptedLog()
    let (shop, begun, ledger) = (SharedChannel(Shop(), log: log), Ledger(), Ledger())
    let working = worker(shop, ledger, lease: .milliseconds(600)) { key in
      begun.note(key)
      if begun.sent.count == 1 { try await Task.sleep(for: .seconds(600)) }
    }
    try await running(shop, working) {
      _ = await shop.order("a")
      await begun.waitUntil { $0 == ["a"] }
      log.isHeld = true
      try await Task.sleep(for: .seconds(1))
      log.isHeld = false
      await drain(shop)
      XCTAssertEqual(ledger.sent, ["a"])
      XCTAssertTrue(shop.state.value.value.mails.parked.isEmpty)
    }
  }

  func test_aMachineThatIsReplacedCancelsItsEffect_andLeavesTheOtherItsLease() async throws {
    let (shop, begun, ledger) = (shop(.init()), Ledger(), Ledger())
    let working = worker(shop, ledger, lease: .seconds(3)) { key in
      begun.note(key)
      try? await Task.sleep(for: .seconds(600))
      begun.note("\(key) is cancelled")
      try Task.checkCancellation()
    }
    try await running(shop, working) {
      _ = await shop.order("a")
      await begun.waitUntil { $0 == ["a"] }
      let began = ContinuousClock.now
      // Until then, the worker may go on, and raise the activity.
      while shop.state.value.value.mails.worker?.name != "other" {
        let activity = shop.state.value.value.mails.activity
        await shop.begin(as: "other", lease: 600, since: activity)
      }
      await begun.waitUntil { $0.count == 2 }
      // Not only when it would have told that it goes on.
      XCTAssertLessThan(ContinuousClock.now - began, .milliseconds(900))
      let waiting = machine(worker(shop, ledger, lease: .milliseconds(100)))
      try await Task.sleep(for: .milliseconds(500))
      XCTAssertEqual(begun.sent, ["a", "a is cancelled"])
      XCTAssertEqual(ledger.sent, [])
      waiting.cancel()
    }
  }

  func test_aClosureThatHeedsTheShutdownHasNotFailed() async throws {
    let (shop, begun, ledger) = (shop(.init()), Ledger(), Ledger())
    try await running(shop) {
      _ = await shop.order("a")
      await testGracefulShutdown { trigger in
        let working = Task {
          await worker(shop, ledger) { key in
            begun.note(key)
            try await cancelWhenGracefulShutdown { try await Task.sleep(for: .seconds(600)) }
          }.run()
        }
        await begun.waitUntil { $0 == ["a"] }
        trigger.triggerGracefulShutdown()
        await working.value
      }
      XCTAssertEqual(shop.state.value.value.mails.waiting.map(\.tries), [0])
      XCTAssertNil(shop.state.value.value.mails.worker)
    }
  }

  func test_aShutdownWaitsForAnEffectAlsoIfAnAppendFails() async throws {
    let log = ScriptedLog()
    let (shop, begun, ledger) = (SharedChannel(Shop(), log: log), Ledger(), Ledger())
    let isHeld = CurrentValue(true)
    try await running(shop) {
      _ = await shop.order("a")
      await testGracefulShutdown { trigger in
        let working = Task {
          await worker(shop, ledger, lease: .milliseconds(1_200)) { key in
            begun.note(key)
            for await isHeld in isHeld.outlet where !isHeld { break }
            try Task.checkCancellation()
          }.run()
        }
        await begun.waitUntil { $0 == ["a"] }
        trigger.triggerGracefulShutdown()
        let entered = log.entered
        log.failAppends(.before(LogFailure.refused("once")))
        while log.entered < entered + 2 { try? await Task.sleep(for: .milliseconds(5)) }
        isHeld.value = false
        await working.value
      }
      XCTAssertEqual(begun.sent, ["a"])
      XCTAssertEqual(ledger.sent, ["a"])
      XCTAssertTrue(shop.state.value.value.mails.waiting.isEmpty)
    }
  }

  func test_ifApplyDoesNotPassCommandsOn_theLogIsNotFlooded() async throws {
    let (shop, ledger) = (shop(.init()), Ledger())
    let wrong = OutboxWorker(shop, \.mails, command: { _ in .order("") }) { _, key in
      ledger.note(key)
    }
    try await running(shop, wrong) {
      _ = await shop.order("a")
      try await Task.sleep(for: .seconds(1))
      XCTAssertEqual(ledger.sent, [])
      XCTAssertLessThan(shop.state.value.position?.index ?? .max, 20)
    }
  }

  func test_aSlowLogDoesNotKeepEffectsFromBeingCarriedOut() async throws {
    let log = KeepingLog(log: MemoryLog(), delay: .milliseconds(700))
    let (shop, ledger) = (SharedChannel(Shop(), log: log), Ledger())
    // A third of it is less.
    try await running(shop, worker(shop, ledger, lease: .seconds(2))) {
      _ = await shop.order("a")
      await drain(shop)
      XCTAssertEqual(ledger.sent, ["a"])
    }
  }

  func test_anEffectThatEndsEachMachineIsParked() async throws {
    let storage = MemoryLog.Storage()
    let (other, fatal, ledger) = (shop(storage), Ledger(), Ledger())
    let lease = Duration.seconds(2)
    try await running(other) {
      for name in ["fatal", "good"] { _ = await other.order(name) }
      for count in 1...3 {
        let one = shop(storage)
        let failing = machine(
          one,
          worker(one, ledger, lease: lease) { key in
            fatal.note(key)
            try await Task.sleep(for: .seconds(600))
          })
        await fatal.waitUntil { $0.count == count }
        failing.cancel()
        _ = await failing.result
      }
      XCTAssertEqual(fatal.sent, ["fatal", "fatal", "fatal"])
      let working = machine(worker(other, ledger, lease: lease))
      await drain(other)
      XCTAssertEqual(ledger.sent, ["good"])
      let parked = other.state.value.value.mails.parked
      XCTAssertEqual(parked.map(\.key), ["fatal"])
      XCTAssertEqual(parked.first?.failure?.hasSuffix("was gone"), true)
      working.cancel()
    }
  }

  func test_aMachineThatCannotReachTheLogCancelsItsEffect_andBeginsNoOther() async throws {
    let storage = MemoryLog.Storage()
    let log = ScriptedLog(storage)
    let (one, other) = (SharedChannel(Shop(), log: log), shop(storage))
    let (begun, cancelled, ledger) = (Ledger(), Ledger(), Ledger())
    let lease = Duration.seconds(2)
    let cutOff = worker(one, ledger, lease: lease) { key in
      begun.note(key)
      if key != "a" { return }
      do { try await Task.sleep(for: .seconds(600)) } catch { cancelled.note(key) }
      try Task.checkCancellation()
    }
    try await running(one, other, cutOff) {
      for name in ["a", "b"] { _ = await other.order(name) }
      await begun.waitUntil { $0 == ["a"] }
      log.isHeld = true
      await cancelled.waitUntil { $0 == ["a"] }
      let working = machine(worker(other, ledger, lease: lease))
      await drain(other)
      XCTAssertEqual(ledger.sent, ["a", "b"])
      XCTAssertEqual(begun.sent, ["a"])
      working.cancel()
      log.isHeld = false
      // It works again.
      _ = await other.order("c")
      await begun.waitUntil { $0 == ["a", "c"] }
    }
  }

  func test_afterARestoreAnEffectIsCarriedOutAgainWithItsKey() async throws {
    let storage = MemoryLog.Storage()
    let (shop, ledger) = (shop(storage), Ledger())
    try await running(shop) {
      _ = await shop.order("a")
      let backup = storage.backUp()
      let working = machine(worker(shop, ledger))
      await drain(shop)
      _ = await shop.order("b")
      await drain(shop)
      XCTAssertEqual(ledger.sent, ["a", "b"])
      storage.restore(backup)
      await ledger.waitUntil { $0.count == 3 }
      XCTAssertEqual(ledger.sent, ["a", "b", "a"])
      working.cancel()
    }
  }

  func test_anOutboxIsPartOfASnapshot() async throws {
    let storage = MemoryLog.Storage()
    let one = shop(storage, snapshotInterval: 1)
    try await running(one) {
      for name in ["a", "b"] { _ = await one.order(name) }
      while await one.counts.snapshots < 2 { try await Task.sleep(for: .milliseconds(5)) }
    }
    let (log, ledger) = (ScriptedLog(storage), Ledger())
    let next = SharedChannel(Shop(), log: log)
    try await running(next, worker(next, ledger)) {
      await ledger.waitUntil { $0 == ["a", "b"] }
      XCTAssertFalse(log.reads.contains(0))
    }
  }
}

extension SharedChannel<Shop> {
  fileprivate func order(_ name: String) async -> Outcome? {
    await commands.ask(Keyed(key: UUID().uuidString, .order(name)))
  }

  fileprivate func begin(as name: String, lease: Double, since activity: Int) async {
    let command = Outbox<String>.Command.begin(
      .init(name: name, lease: lease), since: activity, tries: 3)
    _ = await commands.ask(Keyed(key: UUID().uuidString, .mails(command)))
  }
}
