import AsyncChannelsRunning
import AsyncChannelsTesting
import XCTest

/// Three faults that a view model may have, found by running a test in other orders, and the same view models
/// with `answer`, which have them not.
final class OrdersTests: XCTestCase {
  @MainActor
  func test_C97_anOlderAnswerOverANewerOneIsFound() async throws {
    let seed = try await seedOfFailure { time in try await Self.search(Search(), time) }
    // And again, with the seed that the failure names.
    do {
      try await withTestTime(orders: .only(seed)) { try await Self.search(Search(), $0) }
      XCTFail("it passed")
    } catch {}
    try await withTestTime(orders: .random(200, seed: 1)) { time in
      try await Self.search(AnsweringSearch(), time)
    }
  }

  @MainActor
  func test_C97_aLostUpdateIsFound() async throws {
    _ = try await seedOfFailure { time in
      let counter = Counter()
      Task { await counter.increment() }
      // In the usual order, long enough.
      Task {
        for _ in 0..<2 { _ = await answer("is it time?") }
        await counter.increment()
      }
      await time.idle()
      try expect(counter.count, 2)
    }
    try await withTestTime(orders: .random(200, seed: 1)) { time in
      let counter = AnsweringCounter()
      try await withRunning(counter.run) {
        for _ in 0..<2 { counter.increment.send() }
        await time.idle()
        try expect(counter.count, 2)
      }
    }
  }

  @MainActor
  func test_C97_aResetThatRacesWithALoadIsFound() async throws {
    _ = try await seedOfFailure { time in
      let list = List()
      Task { await list.load() }
      Task { await list.reset() }
      await time.idle()
      try expect(list.items, [])
    }
    try await withTestTime(orders: .random(200, seed: 1)) { time in
      let list = AnsweringList()
      try await withRunning(list.run) {
        list.commands.send(.load)
        list.commands.send(.reset)
        await time.idle()
        try expect(list.items, [])
      }
    }
  }

  @MainActor
  func test_C97_aFailureTellsTheShortestOrderAndWhatHappensInIt() async throws {
    do {
      try await withTestTime(orders: .random(200, seed: 1)) { time in
        let search = Search()
        try await withRunning(search) {
          for query in ["a", "b", "c"] { search.query.send(query) }
          await time.idle()
          try expect(search.hits, ["c"])
        }
      }
      XCTFail("it passed")
    } catch {
      for part in [
        "(repeat it with orders: .only(",
        "The shortest order that still fails differs from the usual one in 3 of its jobs (",
        "What happens in it:", "query",
      ] where !"\(error)".contains(part) { XCTFail("\(part) is not in: \(error)") }
    }
  }

  @MainActor
  func test_C97_aRunKnowsItsSeed() async throws {
    var seeds: [UInt64?] = []
    try await withTestTime { seeds.append($0.seed) }
    try await withTestTime(orders: .random(3, seed: 7)) { seeds.append($0.seed) }
    XCTAssertEqual(seeds, [nil, 7, 8, 9])
  }

  @MainActor
  func test_C97_theMainActorsJobsKeepTheirOrder() async throws {
    try await withTestTime(orders: .random(200, seed: 1)) { time in
      let log = Log()
      for number in 0..<5 { Task { log.add("\(number)") } }
      await time.idle()
      try expect(log.lines, ["0", "1", "2", "3", "4"])
    }
  }

  @MainActor
  private static func search(_ search: some Searching, _ time: TestTime) async throws {
    try await withRunning(search.run) {
      search.query.send("a")
      await time.idle()
      search.query.send("b")
      search.query.send("c")
      await time.idle()
      try expect(search.hits, ["c"])
    }
  }

  /// The seed that the failure of a test names, which passes in the usual order.
  @MainActor
  private func seedOfFailure(
    of test: (TestTime) async throws -> Void
  ) async throws -> UInt64 {
    try await withTestTime(test)
    do {
      try await withTestTime(orders: .random(200, seed: 1), test)
      XCTFail("no order failed")
      return 0
    } catch {
      let words = "\(error)".split(separator: " ")
      let place = try XCTUnwrap(words.firstIndex(of: "seed"))
      return try XCTUnwrap(UInt64(words[place + 1]))
    }
  }
}

private struct Unequal: Error, CustomStringConvertible {
  let description: String
}

private func expect<Value: Equatable>(_ value: Value, _ expected: Value) throws {
  if value != expected { throw Unequal(description: "\(value) is not \(expected)") }
}

@concurrent
private func answer(_ query: String) async -> [String] { [query] }

@MainActor
private protocol Searching: AnyObject, Sendable {
  var query: Inlet<String> { get }
  var hits: [String] { get }
  func run() async
}

@MainActor
private final class Search: Searching, ViewModel {
  @Input var query: Inlet<String>
  private(set) var hits: [String] = []

  func run() async {
    for await query in _query.received { Task { hits = await answer(query) } }
  }
}

@MainActor
private final class AnsweringSearch: Searching {
  @Input var query: Inlet<String>
  private(set) var hits: [String] = []

  func run() async {
    await _query.received.answer(.latestOnly, by: answer) { self.hits = $1 }
  }
}

@MainActor
private final class Counter {
  private(set) var count = 0

  func increment() async {
    let before = count
    _ = await answer("may I?")
    count = before + 1
  }
}

@MainActor
private final class AnsweringCounter {
  @Input var increment: Inlet<Void>
  private(set) var count = 0

  func run() async {
    await _increment.received.answer(
      by: { await answer("may I?") }, publish: { _, _ in self.count += 1 })
  }
}

@MainActor
private final class List {
  private(set) var items: [String] = []

  func load() async { items = await answer("item") }

  func reset() async {
    _ = await answer("forget all")
    items = []
  }
}

@MainActor
private final class AnsweringList {
  enum Command: Sendable { case load, reset }

  private let received = Input<Command>()
  var commands: Inlet<Command> { received.inlet }
  private(set) var items: [String] = []

  func run() async {
    await received.received.answer(by: { $0 == .load ? await answer("item") : [] }) {
      self.items = $1
    }
  }
}
