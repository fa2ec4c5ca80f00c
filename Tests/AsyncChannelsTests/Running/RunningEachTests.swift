import AsyncChannelsTesting
import TestSupport
import XCTest

@testable import AsyncChannels

/// C61, C62.
final class RunningEachTests: XCTestCase {
  private let state = CurrentValue<[Item]>([])
  private let stage = Runs()

  func test_C61_whatComesIsBegunWhatGoesIsCancelledAndWhatStaysRunsOn() async throws {
    state.value = [Item(1), Item(2)]
    let running = runEach()
    try await until("begun") { [stage] in Set(stage.all) == ["+1", "+2"] }
    state.value = [Item(2, "changed"), Item(3)]
    try await until("changed") { [stage] in stage.all.count == 5 }
    XCTAssertEqual(Set(stage.all), ["+1", "+2", "x1", "-1", "+3"])
    state.value = [Item(3), Item(2)]
    state.value = [Item(3), Item(2), Item(4)]
    try await until("the marker has come") { [stage] in stage.all.contains("+4") }
    XCTAssertEqual(stage.all.count, 6, "\(stage.all)")
    try await running.cancelAndWait()
    XCTAssertEqual(stage.count(of: "-"), 4)
  }

  func test_C61_whatComesBackIsBegunAnewAlsoIfItWasGoneForAMomentOnly() async throws {
    state.value = [Item(1)]
    let running = runEach()
    try await until("begun") { [stage] in stage.all == ["+1"] }
    state.value = []
    state.value = [Item(1)]
    try await until("begun anew") { [stage] in stage.count(of: "+1") == 2 }
    XCTAssertEqual(Array(stage.all.prefix(2)), ["+1", "x1"])
    try await running.cancelAndWait()
    XCTAssertEqual(stage.count(of: "-1"), 2)
  }

  func test_C61_whatGoesIsCancelledBeforeWhatComesWithTheSameChangeIsBegun() async throws {
    for _ in 0..<5 {
      let state = CurrentValue((1...1000).map { Item($0) })
      let stage = Runs()
      let running = Task { await state.outlet.runningEach { await stage.run($0) } }
      try await until("begun") { stage.all.count == 1000 }
      // So many are cancelled that what comes would have begun meanwhile, on another thread.
      state.value = [Item(0)]
      try await until("begun") { stage.all.contains("+0") }
      let before = stage.all.prefix { $0 != "+0" }
      XCTAssertEqual(before.count { $0.hasPrefix("x") }, 1000)
      try await running.cancelAndWait()
    }
  }

  func test_C61_whatComesBackDoesNotWaitForACancelledRunThatHasNotReturned() async throws {
    let gate = Gate()
    state.value = [Item(1)]
    let running = Task { [state, stage] in
      await state.outlet.runningEach { item in
        stage.record("+\(item.id)")
        await gate.pass()
        stage.record("-\(item.id)")
      }
      stage.record("returned")
    }
    try await until("begun") { [stage] in stage.all == ["+1"] }
    state.value = []
    state.value = [Item(1)]
    try await until("begun anew") { [stage] in stage.all == ["+1", "+1"] }
    // C62: it waits for both, the one that has gone too.
    running.cancel()
    for _ in 0..<100 { await Task.yield() }
    XCTAssertEqual(stage.all, ["+1", "+1"])
    gate.open()
    try await running.result()
    XCTAssertEqual(stage.all, ["+1", "+1", "-1", "-1", "returned"])
  }

  @MainActor
  func test_C61_whatGoesBeforeItCouldBeginIsNotBegun() async throws {
    var roundsWithTheLastOnly = 0
    for _ in 0..<100 {
      let state = CurrentValue<[Item]>([])
      let stage = Runs()
      let running = Task {
        await state.outlet.runningEach { @MainActor in await stage.runOnMain($0) }
      }
      try await until("followed") { state.log.sleeperCount == 1 }
      // All are seen in one turn of the main actor, on which each would have to begin; or in two, if the system
      // has stopped the thread for a millisecond, after which the loop lets others run.
      for item in [Item(1), Item(2), Item(1), Item(3)] { state.value = [item] }
      try await until("the last has come") { stage.all.contains("+3") }
      try await running.cancelAndWait()
      XCTAssertEqual(stage.all.filter { $0.hasSuffix("3") }, ["+3", "x3", "-3"])
      if stage.all.count == 3 { roundsWithTheLastOnly += 1 }
    }
    XCTAssertGreaterThan(roundsWithTheLastOnly, 50)
  }

  func test_C61_whatReturnsByItselfIsBegunAgainOnlyWhenItHasBeenAway() async throws {
    state.value = [Item(1), Item(2)]
    let running = Task { [state, stage] in
      await state.outlet.runningEach { stage.record("+\($0.id)") }
    }
    try await until("returned") { [stage] in stage.all.count == 2 }
    state.value = [Item(1), Item(2), Item(3)]
    try await until("the marker has come") { [stage] in stage.all.contains("+3") }
    XCTAssertEqual(stage.all.count, 3)
    state.value = [Item(2)]
    state.value = [Item(2), Item(1)]
    try await until("begun anew") { [stage] in stage.count(of: "+1") == 2 }
    XCTAssertEqual(stage.all.count, 4)
    try await running.cancelAndWait()
  }

  func test_C61_ofSeveralWithOneIdentityTheFirstIsRun() async throws {
    state.value = [Item(1, "first"), Item(1, "second"), Item(1, "third")]
    let running = Task { [state, stage] in
      await state.outlet.runningEach { stage.record($0.text) }
    }
    try await until("begun") { [stage] in !stage.all.isEmpty }
    state.value = [Item(1, "second"), Item(2, "marker")]
    try await until("the marker has come") { [stage] in stage.all.contains("marker") }
    XCTAssertEqual(stage.all, ["first", "marker"])
    try await running.cancelAndWait()
  }

  func test_C62_theStatesEndCancelsNothingAndItReturnsWhenAllHaveReturned() async throws {
    let gate = Gate()
    let running = Task { [stage] in
      await StateOutlet.constant([1, 2]).runningEach(by: { $0 }) { number in
        await gate.pass()
        stage.record(Task.isCancelled ? "x\(number)" : "-\(number)")
      }
      stage.record("returned")
    }
    for _ in 0..<100 { await Task.yield() }
    XCTAssertEqual(stage.all, [])
    gate.open()
    try await running.result()
    XCTAssertEqual(Set(stage.all.prefix(2)), ["-1", "-2"])
    XCTAssertEqual(stage.all.last, "returned")
    // With nothing in it there is nothing to wait for.
    state.finish()
    try await runEach().result()
  }

  func test_C62_aCallerThatIsCancelledBeginsNothing() async throws {
    state.value = [Item(1)]
    try await within { [state, stage] in
      await Task {
        cancelThisTask()
        await state.outlet.runningEach { await stage.run($0) }
      }.value
    }
    XCTAssertEqual(stage.all, [])
  }

  @MainActor
  func test_C62_nothingIsBegunThatWasWrittenAfterTheCallerWasCancelled() async throws {
    for round in 0..<100 {
      let state = CurrentValue([Item(0)])
      let stage = Runs()
      let running = Task {
        await state.outlet.runningEach { @MainActor in await stage.runOnMain($0) }
      }
      await giveWay(round % 10)
      running.cancel()
      state.value = [Item(1)]
      try await running.result()
      XCTAssertFalse(stage.all.contains("+1"))
      XCTAssertEqual(stage.count(of: "+"), stage.count(of: "-"))
    }
  }

  func test_C62_ofWhatWasWrittenAfterTheCancelNothingIsTakenThoughItIsThere() async throws {
    let state = CurrentValue([0])
    let asked = Record<Int>()
    let running = Task {
      await state.outlet.runningEach(by: { number in
        asked.add(number)
        // What comes is there when it looks: it never waits.
        if number == 100 { cancelThisTask() }
        state.value = [number + 1]
        return number
      }) { _ in }
    }
    try await running.result()
    XCTAssertEqual(asked.events, Array(0...100))
  }

  func test_C62_whatHasGoneIsReleasedWhenItsRunHasReturned() async throws {
    let census = Census()
    let gates = [Gate(), Gate()]
    let state = CurrentValue((0..<2).map { Tracked($0, in: census) })
    let running = Task {
      await state.outlet.runningEach(by: { $0.number }) { await gates[$0.number].pass() }
    }
    try await until("followed") { state.log.sleeperCount == 1 }
    state.value = []
    gates[0].open()
    // Of the two, one may not have begun before it went, and is released also.
    try await until("one is released") { census.count < 2 }
    gates[1].open()
    try await until("all are released") { census.count == 0 }
    try await running.cancelAndWait()
  }

  @MainActor
  func test_C61_viewModelsComeAndGoByIdentityAndLoseNoInput() async throws {
    let list = List()
    let rows = [Row(1), Row(2)]
    let heard = Probe(list.heard)
    let token = list.start()
    list.rows = rows
    rows[0].input.send(10)
    try await heard.expect(1)
    list.rows = [rows[1]]
    // Whether it is still run or not: it waits or is heard, once.
    rows[0].input.send(11)
    rows[1].input.send(20)
    try await heard.next(where: { $0 == 2 })
    list.rows = rows
    rows[0].input.send(12)
    try await until("heard") { rows[0].count.value == 3 }
    token.cancel()
    try await until("no row is run") { rows.allSatisfy { $0.isRunning.value == false } }
    XCTAssertEqual(rows.map(\.count.value), [3, 1])
  }

  /// Each of four writers takes its own element out and puts it back, while the main actor runs them.
  @MainActor
  func test_C61_inARaceOfWritersEachIsCancelledBeforeItIsBegunAnew() async throws {
    for round in 0..<20 {
      let state = CurrentValue<[Item]>([])
      let stage = Runs()
      let running = Task {
        await state.outlet.runningEach { @MainActor in await stage.runOnMain($0) }
      }
      _ = try await concurrently(4) { number in
        for turn in 0..<50 {
          state.update { $0.append(Item(number)) }
          await giveWay((round + turn) % 5)
          state.update { $0.removeAll { $0.id == number } }
        }
        state.update { $0.append(Item(number)) }
      }
      try await until("the last of each is begun") {
        let events = stage.all
        return (0..<4).allSatisfy { number in
          events.last { $0 == "+\(number)" || $0 == "x\(number)" } == "+\(number)"
        }
      }
      state.value = []
      state.finish()
      try await running.result()
      for number in 0..<4 {
        let events = stage.all.filter { $0 == "+\(number)" || $0 == "x\(number)" }
        for (index, event) in events.enumerated() {
          XCTAssertEqual(event.first, index.isMultiple(of: 2) ? "+" : "x", "\(events)")
        }
        XCTAssertEqual(stage.count(of: "+\(number)"), stage.count(of: "-\(number)"))
      }
    }
  }

  private func runEach() -> Task<Void, Never> {
    Task { [state, stage] in await state.outlet.runningEach { await stage.run($0) } }
  }
}

private struct Item: Sendable, Identifiable {
  let id: Int
  let text: String

  init(_ id: Int, _ text: String = "") {
    self.id = id
    self.text = text
  }
}

/// What began (`+`), was cancelled (`x`) and returned (`-`).
private final class Runs: Sendable {
  private let events = Record<String>()
  private let never = Outlet<Never>.never

  var all: [String] { events.events }

  func count(of prefix: String) -> Int { all.count { $0.hasPrefix(prefix) } }

  func record(_ event: String) { events.add(event) }

  /// For where there is no isolation: what is recorded as begun has its handler.
  func run(_ item: Item) async {
    await untilCancelled(item) { self.record("+\(item.id)") }
  }

  /// Begins in the turn in which it is called.
  @MainActor
  func runOnMain(_ item: Item) async {
    record("+\(item.id)")
    await untilCancelled(item) {}
  }

  private func untilCancelled(_ item: Item, _ begin: @Sendable () -> Void) async {
    await withTaskCancellationHandler {
      begin()
      for await _ in never {}
    } onCancel: {
      record("x\(item.id)")
    }
    record("-\(item.id)")
  }
}

@MainActor
private final class Row: ViewModel {
  @Input var input: Inlet<Int>
  nonisolated let count = CurrentValue(0)
  nonisolated let isRunning = CurrentValue(false)
  let number: Int
  weak var list: List?

  init(_ number: Int) {
    self.number = number
  }

  func run() async {
    isRunning.value = true
    for await _ in _input.received {
      count.value += 1
      list?.hear(number)
    }
    isRunning.value = false
  }
}

@MainActor
private final class List: ViewModel {
  @Output var heard: Outlet<Int>
  @CurrentValue var rows: [Row] = [] {
    didSet { for row in rows { row.list = self } }
  }

  func hear(_ number: Int) { _heard.send(number) }

  func run() async {
    await $rows.runningEach()
  }
}
