import AsyncChannelsRunning
import AsyncChannelsTesting
import Foundation
import TestSupport
import XCTest

/// `idle()` returns when all is done, and not before: work goes through everything that there is.
final class ExactIdleTests: XCTestCase {
  private static let rounds = Length.isFull ? 200 : 3

  @MainActor
  func test_C94_nothingIsLeftToDoWhenIdleReturns() async throws {
    for _ in 0..<Self.rounds {
      try await withTestTime { time in try await everything(time) }
    }
  }

  @MainActor
  func test_C94_norInAnyOrder() async throws {
    try await withTestTime(orders: .random(Self.rounds, seed: 1)) { time in
      try await everything(time)
    }
  }

  /// Three inputs in each of the ways, and then what came of them.
  @MainActor
  private func everything(_ time: TestTime) async throws {
    let works = Works(time.clock)
    try await withRunning(works.run) {
      let token = works.published.observe { works.note("observed \($0)") }
      await time.idle()
      works.begin(1)
      works.begin(2)
      works.begin(3)
      await time.idle()
      try check(works.seen, Works.immediately)
      await time.advance(by: .milliseconds(300))
      try check(works.seen, Works.immediately + Works.afterTime)
      // And nothing comes later.
      await time.run()
      try check(works.seen, Works.immediately + Works.afterTime)
      token.cancel()
    }
  }

  private func check(_ seen: [String: Int], _ expected: [String]) throws {
    var counts: [String: Int] = [:]
    for name in expected { counts[name, default: 0] += 1 }
    // Whether an earlier answer came before it was superseded depends on the order.
    let seen = seen.filter { !["latest 1", "latest 2"].contains($0.key) }
    if seen != counts { throw Wrong(description: "\(seen) is not \(counts)") }
  }

  private struct Wrong: Error, CustomStringConvertible {
    let description: String
  }
}

/// Something that works in all the ways there are.
@MainActor
private final class Works {
  static let immediately =
    ["task", "detached", "actor", "group", "hops", "stream", "relayed", "yields", "immediate"]
    .flatMap { [$0, $0, $0] }
    + ["one 1", "one 2", "one 3", "concurrent 1", "concurrent 2", "concurrent 3", "latest 3"]
    + ["first 1", "bound 1", "bound 2", "bound 3"]
    + ["observed 1", "observed 2", "observed 3"]
  static let afterTime = ["quiet 3", "debounced 3"] + ["slept", "slept", "slept"]

  private let clock: TestClock
  private let input = Channel<Int>()
  private let output = Channel<Int>()
  private let bound = Channel<Int>()
  private let stream = AsyncStream.makeStream(of: Int.self)
  private let counter = Counter()
  private(set) var seen: [String: Int] = [:]

  init(_ clock: TestClock) { self.clock = clock }

  nonisolated var published: Outlet<Int> { output.outlet }

  func note(_ what: String) { seen[what, default: 0] += 1 }

  func begin(_ number: Int) {
    input.send(number)
    output.send(number)
    stream.continuation.yield(number)
    Task { note("task") }
    Task.detached { await self.note("detached") }
    Task {
      await counter.count(10)
      note("actor")
    }
    Task {
      let sum = await withTaskGroup(of: Int.self) { group in
        for number in 0..<10 { group.addTask { await self.counter.twice(number) } }
        var sum = 0
        for await part in group { sum += part }
        return sum
      }
      if sum == 90 { note("group") }
    }
    Task.detached {
      for _ in 0..<1_000 { await self.hop() }
      await self.note("hops")
    }
    Task.detached {
      for _ in 0..<20 { await Task.yield() }
      await self.counter.giveWay(20)
      await self.note("yields")
    }
    Task {
      try await clock.sleep(for: .milliseconds(250))
      note("slept")
    }
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
      Task.immediate {
        await counter.count(1)
        note("immediate")
      }
    } else {
      note("immediate")
    }
  }

  private func hop() {}

  func run() async {
    let inputs = (0..<6).map { _ in input.outlet.subscribe() }
    let (toBound, ofBound) = (output.outlet.subscribe(), bound.outlet.subscribe())
    let work: @Sendable (Int) async -> Int = { await self.counter.twice($0) / 2 }
    await withDiscardingTaskGroup { group in
      group.addTask {
        await inputs[0].answer(by: work) { @MainActor _, number in
          self.note("one \(number)")
        }
      }
      group.addTask {
        await inputs[1].answer(.concurrent, by: work) { @MainActor _, number in
          self.note("concurrent \(number)")
        }
      }
      group.addTask {
        await inputs[2].answer(.latestOnly, by: work) { @MainActor _, number in
          self.note("latest \(number)")
        }
      }
      group.addTask {
        await inputs[3].answer(.firstOnly, by: work) { @MainActor _, number in
          self.note("first \(number)")
        }
      }
      group.addTask { [clock] in
        await inputs[4].answer(.latestOnly, debounce: .milliseconds(300), clock: clock, by: work) {
          @MainActor _, number in
          self.note("quiet \(number)")
        }
      }
      group.addTask { [clock] in
        for await number in debounced(inputs[5], by: .milliseconds(300), on: clock) {
          await self.note("debounced \(number)")
        }
      }
      group.addTask { await toBound.bind(to: self.bound.inlet) }
      group.addTask { for await number in ofBound { await self.note("bound \(number)") } }
      group.addTask { [stream] in
        let (relayed, relay) = AsyncStream.makeStream(of: Int.self)
        async let relaying: Void = { for await _ in relayed { await self.note("relayed") } }()
        for await number in stream.stream {
          await self.note("stream")
          relay.yield(number)
        }
        relay.finish()
        await relaying
      }
    }
  }
}

private actor Counter {
  private var sum = 0

  func count(_ times: Int) async {
    for _ in 0..<times {
      let next = await twice(sum)
      sum = next / 2 + 1
    }
  }

  @concurrent
  nonisolated func twice(_ number: Int) async -> Int { number * 2 }

  func giveWay(_ times: Int) async { for _ in 0..<times { await Task.yield() } }
}

/// As swift-async-algorithms has it: a task for the base, and one that sleeps, anew for each element.
private func debounced<Base: AsyncSequence & Sendable>(
  _ base: Base, by interval: Duration, on clock: TestClock
) -> AsyncStream<Base.Element> where Base.Element: Sendable, Base.Failure == Never {
  AsyncStream { continuation in
    let task = Task {
      var timer: Task<Void, any Error>?
      for await element in base {
        timer?.cancel()
        let deadline = clock.now.advanced(by: interval)
        timer = Task {
          try await clock.sleep(until: deadline)
          continuation.yield(element)
        }
      }
      timer?.cancel()
      continuation.finish()
    }
    continuation.onTermination = { _ in task.cancel() }
  }
}
