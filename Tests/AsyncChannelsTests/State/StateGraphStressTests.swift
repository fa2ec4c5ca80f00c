import AsyncChannelsTesting
import Foundation
import TestSupport
import XCTest

@testable import AsyncChannels

/// Random graphs of derived state, random writes.
final class StateGraphStressTests: XCTestCase {
  private static let rootCount = 8

  /// What a derived state was made of: the value of each root, as far as it depends on that.
  private struct Made: Sendable, Equatable {
    var values = [Int?](repeating: nil, count: rootCount)
    /// Whether it was made of two values of one root.
    var isTorn = false

    init(_ value: Int, of root: Int) { values[root] = value }

    func with(_ other: Made) -> Made {
      var both = self
      for (root, value) in other.values.enumerated() {
        guard let value else { continue }
        if let known = values[root], known != value { both.isTorn = true }
        both.values[root] = value
      }
      both.isTorn = both.isTorn || other.isTorn
      return both
    }

    var isEven: Bool { values.reduce(0) { $0 &+ ($1 ?? 0) }.isMultiple(of: 2) }

    /// Each writer has two roots, and writes the second after the first. So at any moment, the first is newer by one
    /// at most.
    var existed: Bool {
      if isTorn { return false }
      return stride(from: 0, to: rootCount, by: 2).allSatisfy { pair in
        guard let first = values[pair], let second = values[pair + 1] else { return true }
        return first == second || first == second + 1
      }
    }

    func isOlder(than other: Made) -> Bool {
      zip(values, other.values).contains { one, other in
        if let one, let other { one < other } else { false }
      }
    }
  }

  /// - Parameter note: Is called with a node's number when its closure runs.
  private func graph(
    on roots: [CurrentValue<Int>], _ random: inout SplitMix64,
    note: @escaping @Sendable (Int) -> Void = { _ in }
  ) -> [StateOutlet<Made>] {
    var nodes = roots.enumerated().map { root, state in state.outlet.map { Made($0, of: root) } }
    for number in nodes.count..<30 {
      let parts = (0..<3).map { _ in nodes[random.number(0...nodes.count - 1)] }
      let (one, two, three) = (parts[0], parts[1], parts[2])
      let node =
        switch random.number(0...5) {
        case 0: one
        case 1: StateOutlet.combine(one, two).map { $0.with($1) }
        case 2: StateOutlet.combine(parts).map { $0[0].with($0[1]).with($0[2]) }
        case 3:
          one.flatMap { made in (made.isEven ? two : three).map { made.with($0) } }
        case 4: one.map { $0.isEven ? $0.with(two.value) : $0.with(three.value) }
        default:
          StateOutlet.combine(one, two, three).map { $0.with($1).with($2) }.removeDuplicates()
        }
      nodes.append(
        node.map {
          note(number)
          return $0
        })
    }
    return nodes
  }

  /// One thread: each node is right after each write, and computed once for it at most.
  func test_C118_C54_C121a_randomGraphsAreRightAndComputeNothingTwice() {
    for seed in 0..<40 {
      var random = SplitMix64(seed: UInt64(seed))
      let roots = (0..<Self.rootCount).map { _ in CurrentValue(0) }
      let calls = Record<Int>()
      let nodes = graph(on: roots, &random) { calls.add($0) }
      let subscriptions = nodes.map { $0.subscribe() }
      var last: [Made?] = nodes.map { _ in nil }
      for step in 1...60 {
        roots[random.number(0...Self.rootCount - 1)].value = step
        // Others stay as they were, and are asked later.
        let asked = nodes.indices.filter { _ in random.oneIn(3) }
        _ = calls.take()
        for node in asked.shuffled(using: &random) {
          let made = random.oneIn(2) ? nodes[node].value : subscriptions[node].takeNow().element
          if let made { last[node] = made }
          let expected = roots.enumerated().allSatisfy { root, state in
            last[node]?.values[root].map { $0 == state.value } ?? true
          }
          XCTAssertTrue(
            expected && last[node]?.isTorn == false, "seed \(seed), step \(step), node \(node)")
        }
        let all = calls.take()
        XCTAssertEqual(Set(all).count, all.count, "seed \(seed), step \(step): \(all.sorted())")
      }
    }
  }

  /// As many writes in all as the environment's `ASYNCCHANNELS_WRITES` says, else 20,000: by a thread for each pair of
  /// roots, while other threads read, and follow.
  func test_C55_C121e_randomGraphsOnSeveralThreads() async throws {
    let count =
      ProcessInfo.processInfo.environment["ASYNCCHANNELS_WRITES"].flatMap { Int($0) } ?? 20_000
    let rounds = 10
    let writes = count / rounds / Self.rootCount
    for round in 0..<rounds {
      var random = SplitMix64(seed: UInt64(round))
      let roots = (0..<Self.rootCount).map { _ in CurrentValue(0) }
      let nodes = graph(on: roots, &random)
      let followed = (0..<6).map { _ in random.number(Self.rootCount...nodes.count - 1) }
      let followers = followed.map { node in
        let subscription = nodes[node].subscribe()
        return Task.detached { () -> (wrong: [Made], last: Made?) in
          var (wrong, last): ([Made], Made?) = ([], nil)
          for await made in subscription {
            if !made.existed || last.map(made.isOlder) == true { wrong.append(made) }
            last = made
          }
          return (wrong, last)
        }
      }
      let wrongReadings = Record<Made>()
      try await onThreads(Self.rootCount / 2 + 2) { thread in
        var random = SplitMix64(seed: UInt64(round * 100 + thread))
        guard thread < Self.rootCount / 2 else {
          var last: [Int: Made] = [:]
          for _ in 1...max(1, writes / 2) {
            let node = random.number(0...nodes.count - 1)
            let made = nodes[node].value
            if !made.existed || last[node].map(made.isOlder) == true { wrongReadings.add(made) }
            last[node] = made
          }
          return
        }
        for number in 1...max(1, writes) {
          for root in [thread * 2, thread * 2 + 1] {
            if random.oneIn(4) {
              roots[root].update { $0 = number }
            } else {
              roots[root].value = number
            }
          }
        }
      }
      for root in roots { root.finish() }
      XCTAssertEqual(wrongReadings.events.count, 0, "\(wrongReadings.events.prefix(3))")
      for (node, follower) in zip(followed, followers) {
        let (wrong, last) = try await within { await follower.value }
        XCTAssertEqual(wrong.count, 0, "round \(round), node \(node): \(wrong.prefix(3))")
        XCTAssertEqual(last, nodes[node].value, "round \(round), node \(node)")
        XCTAssertEqual(last?.values.allSatisfy { $0 == nil || $0 == max(1, writes) }, true)
      }
    }
  }
}
