import AsyncChannelsTesting
import TestSupport
import XCTest

@testable import AsyncChannels
@testable import AsyncChannelsRunning

/// C61, C62.
@MainActor
final class RunEachTests: XCTestCase {
  private let state = CurrentValue<[Item]>([])
  private let stage = Runs()

  func test_C61a_C61e_whatComesIsBegunWhatGoesIsCancelledAndWhatStaysRunsOn() async throws {
    try await withTestTime { [state, stage] time in
      state.value = [Item(1), Item(2)]
      let running = self.runEach()
      await time.idle()
      XCTAssertEqual(stage.all.sorted(), ["+1", "+2"])
      state.value = [Item(2, "changed"), Item(3)]
      await time.idle()
      XCTAssertEqual(stage.all.sorted(), ["+1", "+2", "+3", "-1", "x1"])
      state.value = [Item(3), Item(2)]
      state.value = [Item(3), Item(2), Item(4)]
      await time.idle()
      XCTAssertEqual(stage.all.count, 6, "\(stage.all)")
      XCTAssertEqual(stage.all.last, "+4")
      running.cancel()
      await running.value
      XCTAssertEqual(stage.count(of: "-"), 4)
    }
  }

  func test_C61b_C61d_whatComesBackIsBegunAnewAlsoIfItWasGoneForAMomentOnly() async throws {
    try await withTestTime { [state, stage] time in
      state.value = [Item(1)]
      let running = self.runEach()
      await time.idle()
      state.value = []
      state.value = [Item(1)]
      await time.idle()
      XCTAssertEqual(Array(stage.all.prefix(2)), ["+1", "x1"])
      XCTAssertEqual(stage.all.sorted(), ["+1", "+1", "-1", "x1"])
      running.cancel()
      await running.value
      XCTAssertEqual(stage.count(of: "-1"), 2)
    }
  }

  func test_C61c_whatGoesIsCancelledBeforeWhatComesWithTheSameChangeIsBegun() async throws {
    for _ in 0..<5 {
      let state = CurrentValue((1...1000).map { Item($0) })
      let stage = Runs()
      let running = Task.detached { await state.outlet.runEach { await stage.run($0) } }
      try await until("begun") { stage.all.count == 1000 }
      // So many are cancelled that what comes would have begun meanwhile, on another thread.
      state.value = [Item(0)]
      try await until("begun") { stage.all.contains("+0") }
      let before = stage.all.prefix { $0 != "+0" }
      XCTAssertEqual(before.count { $0.hasPrefix("x") }, 1000)
      try await running.cancelAndWait()
    }
  }

  func test_C61d_whatComesBackDoesNotWaitForACancelledRunThatHasNotReturned() async throws {
    try await withTestTime { [state, stage] time in
      state.value = [Item(1)]
      let running = Task.detached { [clock = time.clock] in
        await state.outlet.runEach { item in
          stage.record("+\(item.id)")
          await clock.sleepThrough(.seconds(1))
          stage.record("-\(item.id)")
        }
        stage.record("returned")
      }
      await time.idle()
      state.value = []
      state.value = [Item(1)]
      await time.idle()
      XCTAssertEqual(stage.all, ["+1", "+1"])
      // C62: it waits for both, the one that has gone too.
      running.cancel()
      await time.idle()
      XCTAssertEqual(stage.all, ["+1", "+1"])
      await time.advance(by: .seconds(1))
      XCTAssertEqual(stage.all, ["+1", "+1", "-1", "-1", "returned"])
    }
  }

  func test_C61a_whatGoesBeforeItCouldBeginIsNotBegun() async throws {
    var roundsWithTheLastOnly = 0
    try await withTestTime { time in
      for _ in 0..<20 {
        let state = CurrentValue<[Item]>([])
        let stage = Runs()
        let running = Task {
          await state.outlet.runEach { @MainActor in await stage.runOnMain($0) }
        }
        await time.idle()
        // All are seen in one turn of the main actor, on which each would have to begin; or in two, if the system
        // has stopped the thread for a millisecond, after which the loop lets others run.
        for item in [Item(1), Item(2), Item(1), Item(3)] { state.value = [item] }
        await time.idle()
        running.cancel()
        await running.value
        XCTAssertEqual(stage.all.filter { $0.hasSuffix("3") }, ["+3", "x3", "-3"])
        if stage.all.count == 3 { roundsWithTheLastOnly += 1 }
      }
    }
    XCTAssertGreaterThan(roundsWithTheLastOnly, 10)
  }

  func test_C61g_whatReturnsByItselfIsBegunAgainOnlyWhenItHasBeenAway() async throws {
    try await withTestTime { [state, stage] time in
      state.value = [Item(1), Item(2)]
      let running = Task.detached {
        await state.outlet.runEach { stage.record("+\($0.id)") }
      }
      await time.idle()
      state.value = [Item(1), Item(2), Item(3)]
      await time.idle()
      XCTAssertEqual(stage.all.sorted(), ["+1", "+2", "+3"])
      state.value = [Item(2)]
      state.value = [Item(2), Item(1)]
      await time.idle()
      XCTAssertEqual(stage.all.sorted(), ["+1", "+1", "+2", "+3"])
      running.cancel()
    }
  }

  func test_C61f_ofSeveralWithOneIdentityTheFirstIsRun() async throws {
    try await withTestTime { [state, stage] time in
      state.value = [Item(1, "first"), Item(1, "second"), Item(1, "third")]
      let running = Task.detached {
        await state.outlet.runEach { stage.record($0.text) }
      }
      await time.idle()
      state.value = [Item(1, "second"), Item(2, "other")]
      await time.idle()
      XCTAssertEqual(stage.all, ["first", "other"])
      running.cancel()
    }
  }

  func test_C62_theStatesEndCancelsNothingAndItReturnsWhenAllHaveReturned() async throws {
    try await withTestTime { [state, stage] time in
      let running = Task.detached { [clock = time.clock] in
        await StateOutlet.constant([1, 2]).runEach(by: { $0 }) { number in
          await clock.sleepThrough(.seconds(number))
          stage.record(Task.isCancelled ? "x\(number)" : "-\(number)")
        }
        stage.record("returned")
      }
      await time.advance(by: .seconds(1))
      XCTAssertEqual(stage.all, ["-1"])
      await time.advance(by: .seconds(1))
      XCTAssertEqual(stage.all, ["-1", "-2", "returned"])
      await running.value
      // With nothing in it there is nothing to wait for.
      state.finish()
      await self.runEach().value
    }
  }

  func test_C62_aCallerThatIsCancelledBeginsNothing() async throws {
    try await withTestTime { [state, stage] _ in
      state.value = [Item(1)]
      let running = self.runEach()
      running.cancel()
      await running.value
      XCTAssertEqual(stage.all, [])
    }
  }

  func test_C62_nothingIsBegunThatWasWrittenAfterTheCallerWasCancelled() async throws {
    try await withTestTime(orders: .random(100, seed: 1)) { time in
      let state = CurrentValue([Item(0)])
      let stage = Runs()
      let running = Task {
        await state.outlet.runEach { @MainActor in await stage.runOnMain($0) }
      }
      await giveWay(Int(time.seed ?? 0) % 10)
      running.cancel()
      state.value = [Item(1)]
      await running.value
      XCTAssertFalse(stage.all.contains("+1"), "seed \(time.seed ?? 0)")
      XCTAssertEqual(stage.count(of: "+"), stage.count(of: "-"), "seed \(time.seed ?? 0)")
    }
  }

  func test_C62_ofWhatWasWrittenAfterTheCancelNothingIsTakenThoughItIsThere() async throws {
    let state = CurrentValue([0])
    let asked = Record<Int>()
    let running = Task.detached {
      await state.outlet.runEach(by: { number in
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
    try await withTestTime { time in
      let census = Census()
      let state = CurrentValue((1...2).map { Tracked($0, in: census) })
      let running = Task.detached { [clock = time.clock] in
        await state.outlet.runEach(by: { $0.number }) {
          await clock.sleepThrough(.seconds($0.number))
        }
      }
      await time.idle()
      state.value = []
      await time.idle()
      XCTAssertEqual(census.count, 2)
      await time.advance(by: .seconds(1))
      XCTAssertEqual(census.count, 1)
      await time.advance(by: .seconds(1))
      XCTAssertEqual(census.count, 0)
      running.cancel()
    }
  }

  func test_C62_whatGoesAfterItsRunHasReturnedIsReleasedAtOnceThoughAnotherRuns() async throws {
    try await withTestTime { time in
      let census = Census()
      let state = CurrentValue((0...1).map { Tracked($0, in: census) })
      let running = Task.detached { [clock = time.clock] in
        await state.outlet.runEach(by: { $0.number }) {
          await clock.sleepThrough(.seconds($0.number))
        }
      }
      await time.idle()
      running.cancel()
      await time.idle()
      state.value = []
      XCTAssertEqual(census.count, 1)
      await time.advance(by: .seconds(1))
      await running.value
      XCTAssertEqual(census.count, 0)
    }
  }

  func test_C61a_C61d_viewModelsComeAndGoByIdentityAndLoseNoInput() async throws {
    try await withTestTime { time in
      let list = List()
      let rows = [Row(1), Row(2)]
      let heard = Probe(list.heard)
      let token = list.start()
      list.rows = rows
      rows[0].input.send(10)
      await time.idle()
      XCTAssertEqual(heard.values, [1])
      list.rows = [rows[1]]
      await time.idle()
      // It is not run: this waits.
      rows[0].input.send(11)
      rows[1].input.send(20)
      await time.idle()
      XCTAssertEqual(heard.values, [1, 2])
      list.rows = rows
      rows[0].input.send(12)
      await time.idle()
      XCTAssertEqual(heard.values, [1, 2, 1, 1])
      token.cancel()
      await time.idle()
      XCTAssertEqual(rows.map(\.isRunning), [false, false])
    }
  }

  /// Each of four writers takes its own element out and puts it back, while the main actor runs them.
  func test_C61c_C61d_inARaceOfWritersEachIsCancelledBeforeItIsBegunAnew() async throws {
    for round in 0..<20 {
      let state = CurrentValue<[Item]>([])
      let stage = Runs()
      let running = Task {
        await state.outlet.runEach { @MainActor in await stage.runOnMain($0) }
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
    Task.detached { [state, stage] in await state.outlet.runEach { await stage.run($0) } }
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
  private(set) var isRunning = false
  let number: Int
  weak var list: List?

  init(_ number: Int) {
    self.number = number
  }

  func run() async {
    isRunning = true
    for await _ in _input.received { list?.hear(number) }
    isRunning = false
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
    await $rows.runEach()
  }
}
