import AsyncChannelsRunning
import AsyncChannelsTesting
import Foundation
import Synchronization
import TestSupport
import XCTest

/// The order of jobs in test time does not depend on the machine, nor on addresses, nor on other tests.
final class OneOrderTests: XCTestCase {
  /// Each kind of loop, beside a task that wants its turn, with bodies that take no time, and more than a turn.
  @MainActor
  func test_C94_theOrderDoesNotDependOnHowLongBodiesTake() async throws {
    var orders: [[String]: Int] = [:]
    for microseconds in [0, 300, 2_000, 0, 300, 2_000] {
      orders[try await order(withBodiesOf: microseconds), default: 0] += 1
    }
    XCTAssertEqual(orders.count, 1, "\(orders)")
    XCTAssertGreaterThan(try XCTUnwrap(orders.keys.first).count, 40)
  }

  @MainActor
  func test_C97_aSeedIsOneOrderHoweverLongBodiesTake() async throws {
    for seed in 1..<4 as Range<UInt64> {
      var orders: Set<[String]> = []
      for microseconds in [0, 300, 1_200] {
        orders.insert(try await order(.only(seed), withBodiesOf: microseconds))
      }
      XCTAssertEqual(orders.count, 1, "\(orders)")
    }
  }

  @MainActor
  private func order(
    _ orders: TestOrders = .asReady, withBodiesOf microseconds: Int
  ) async throws -> [String] {
    var lines: [String] = []
    try await withTestTime(orders: orders) { time in
      let numbers = Channel<Int>()
      let kinds = Kinds(numbers.outlet) { line in
        compute(forMicroseconds: microseconds)
        lines.append(line)
      }
      let all = numbers.outlet.subscribe()
      await withRunning(kinds) {
        await time.idle()
        for number in 0..<5 { numbers.send(number) }
        // Another that wants its turn.
        Task { for turn in 0..<5 { lines.append("turn \(turn)"); await Task.yield() } }
        await time.idle()
        for await number in all {
          compute(forMicroseconds: microseconds)
          Task { lines.append("made by the script") }
          lines.append("script \(number)")
          if number == 4 { break }
        }
        await time.idle()
      }
    }
    return lines
  }

  @MainActor
  func test_C94_cancelledRowsEndInTheOrderInWhichTheyBegan() async throws {
    var kept: [AnyObject] = []
    for run in 0..<50 {
      var ended: [Int] = []
      try await withTestTime { time in
        let rows = CurrentValue(Array(0..<6))
        let caller = Task { @MainActor in
          await rows.outlet.runEach(by: { $0 }) { @MainActor id in
            try? await time.clock.sleep(for: .seconds(1_000))
            ended.append(id)
          }
        }
        await time.idle()
        caller.cancel()
        await caller.value
      }
      XCTAssertEqual(ended, Array(0..<6))
      if ended != Array(0..<6) { return }
      // Others allocate meanwhile.
      if run % 3 == 0 { kept.append(Channel<Int>()) }
    }
  }

  @MainActor
  func test_C94_tokensInASetEndInTheOrderInWhichTheyWereStored() async throws {
    var kept: [AnyObject] = []
    for run in 0..<50 {
      var ended: [Int] = []
      try await withTestTime { time in
        var tokens: Set<CancellationToken> = []
        for id in 0..<20 {
          Row { ended.append(id) }.start().store(in: &tokens)
        }
        await time.idle()
        tokens = []
        await time.idle()
      }
      XCTAssertEqual(ended, Array(0..<20))
      if ended != Array(0..<20) { return }
      if run % 3 == 0 { kept.append(Channel<Int>()) }
    }
  }

  /// Two sets may have one token, which must not change its hash; one may be put into a set by hand.
  @MainActor
  func test_aTokenCanBeInSeveralSets() {
    let numbers = Channel<Int>()
    var (one, other): (Set<CancellationToken>, Set<CancellationToken>) = ([], [])
    let tokens = (0..<100).map { _ in numbers.outlet.observe { _ in } }
    for token in tokens.reversed() { token.store(in: &one) }
    for token in tokens { token.store(in: &other) }
    for token in tokens { token.store(in: &other) }
    XCTAssertEqual(one.count, 100)
    XCTAssertEqual(other.count, 100)
    XCTAssertEqual(one, other)
    for token in tokens {
      XCTAssertEqual(one.remove(token), token)
      XCTAssertTrue(other.contains(token))
    }
    XCTAssertTrue(one.isEmpty)
  }

  /// A test in real time makes actors, which may get the addresses of those of a test in test time.
  @MainActor
  func test_C94_actorsOfAnotherTestAreNotTaken() async throws {
    let stop = Atomic(false)
    let another = Task { @MainActor in
      while !stop.load(ordering: .relaxed) {
        for _ in 0..<4 {
          let worker = Worker()
          await worker.work()
          await worker.nap()
        }
        await Task.yield()
      }
    }
    defer { stop.store(true, ordering: .relaxed) }
    for _ in 0..<Length.rounds(100) {
      try await withTestTime { time in
        for _ in 0..<20 {
          for _ in 0..<10 { await Worker().work() }
          await time.advance(by: .seconds(1))
          // Something outside: the others run meanwhile.
          await withCheckedContinuation { continuation in
            DispatchQueue.global().asyncAfter(deadline: .now() + 0.001) { continuation.resume() }
          }
        }
      }
      await Task.yield()
    }
    stop.store(true, ordering: .relaxed)
    await another.value
  }
}

private func compute(forMicroseconds time: Int) {
  let end = ContinuousClock.now + .microseconds(time)
  while ContinuousClock.now < end {}
}

private actor Worker {
  private var count = 0

  func work() { count += 1 }
  func nap() async { try? await Task.sleep(for: .milliseconds(1)) }
}

@MainActor
private final class Row: ViewModel {
  private let end: () -> Void

  init(_ end: @escaping () -> Void) { self.end = end }

  func run() async {
    let nothing = Channel<Void>()
    for await _ in nothing.outlet {}
    end()
  }
}

/// A loop of each kind.
@MainActor
private final class Kinds: ViewModel {
  private let numbers: Outlet<Int>
  private let log: (String) -> Void
  @CurrentValue private var ids: [Int] = []

  init(_ numbers: Outlet<Int>, _ log: @escaping (String) -> Void) {
    (self.numbers, self.log) = (numbers, log)
  }

  func run() async {
    let first = numbers.observe { self.log("observer \($0)") }
    let second = numbers.observe { @MainActor in self.log("suspending \($0)") }
    await together(
      { for await number in self.numbers { self.log("loop \(number)") } },
      { for await number in self.numbers.map({ $0 * 10 }) { self.log("derived \(number)") } },
      { await self.numbers.answer(by: { $0 }) { self.log("answer \($1)") } },
      { await self.numbers.answer(.concurrent, by: { $0 }) { self.log("concurrent \($1)") } },
      { await self.numbers.answer(.latestOnly, by: { $0 }) { self.log("latest \($1)") } },
      {
        await together(
          { await self.numbers.answer(.firstOnly, by: { $0 }) { self.log("first \($1)") } },
          { for await number in self.numbers { self.ids.append(number) } },
          { await self.$ids.runEach(by: { $0 }) { @MainActor in self.log("row \($0)") } })
      })
    withExtendedLifetime((first, second)) {}
  }
}
