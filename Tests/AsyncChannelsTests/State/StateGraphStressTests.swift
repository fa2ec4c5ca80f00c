import Synchronization
import TestSupport
import XCTest

@testable import AsyncChannels

/// Random graphs of derived state, whose states several threads write, alone and two in one step.
///
/// A thread's write has the number of its step. So a value tells which step of each thread it has seen last, and from what
/// each thread is known to write, it follows what the value must have seen of that thread's other states, if it is of
/// one moment.
final class StateGraphStressTests: XCTestCase {
  func test_C140e_eachValueOfARandomGraphWasThereAtOneMoment() async throws {
    for seed in 0..<(Length.isFull ? 20 : 4) {
      let writes = Writes(seed: UInt64(seed), steps: Length.rounds(17_000))
      let wrong = try await run(Graph(seed: UInt64(seed)), writes)
      XCTAssertEqual(wrong, [], "of the graph with seed \(seed)")
    }
  }

  /// What was wrong, in words.
  private func run(_ graph: Graph, _ writes: Writes) async throws -> [String] {
    let wrong = Record<String>()
    let isOver = Atomic(0)
    let followers = graph.nodes.suffix(6).map { node in
      let subscription = node.subscribe()
      return Task {
        var last = Seen()
        for await seen in subscription {
          writes.check(seen, after: last, wrong)
          last = seen
        }
        return last
      }
    }
    try await onThreads(Writes.threads + 1) { thread in
      if thread < Writes.threads {
        for (step, written) in writes.steps[thread].enumerated() {
          let seen = written.map { Seen($0, step + 1) }
          if written.count == 1 {
            graph.roots[written[0]].value = seen[0]
          } else {
            updateTogether(graph.roots[written[0]], graph.roots[written[1]]) {
              ($0, $1) = (seen[0], seen[1])
            }
          }
        }
        isOver.add(1, ordering: .releasing)
      } else {
        var lasts = graph.nodes.map { _ in Seen() }
        while isOver.load(ordering: .acquiring) < Writes.threads {
          for (number, node) in graph.nodes.enumerated() {
            let seen = node.value
            writes.check(seen, after: lasts[number], wrong)
            lasts[number] = seen
          }
        }
      }
    }
    for root in graph.roots { root.finish() }
    for (follower, node) in zip(followers, graph.nodes.suffix(6)) {
      let last = try await within { await follower.value }
      if last != node.value { wrong.add("The last was missed: \(last), not \(node.value)") }
    }
    return Array(wrong.events.prefix(3))
  }
}

/// The step in which each state was written that a value has seen.
private struct Seen: Sendable, Equatable {
  var steps: [Int?] = Array(repeating: nil, count: Graph.rootCount)
  /// Whether it has seen one state in two ways.
  var isTorn = false

  init() {}

  init(_ root: Int, _ step: Int) { steps[root] = step }

  func merged(with other: Seen) -> Seen {
    var result = self
    result.isTorn = isTorn || other.isTorn
    for (root, step) in other.steps.enumerated() {
      guard let step else { continue }
      if let known = steps[root], known != step { result.isTorn = true }
      result.steps[root] = step
    }
    return result
  }

  var isEven: Bool { steps.reduce(0) { $0 + ($1 ?? 0) } % 2 == 0 }
}

/// What each thread writes in each of its steps: one of its states, or two of them together.
private struct Writes: Sendable {
  static let threads = 3

  private(set) var steps: [[[Int]]] = []
  /// For each state and number of steps, the last of these that has written it.
  private var last: [[Int]] = Array(repeating: [], count: Graph.rootCount)

  init(seed: UInt64, steps count: Int) {
    var random = Dice(seed: seed &+ 1_000)
    for thread in 0..<Self.threads {
      let own = (0..<Graph.rootCount).filter { $0 % Self.threads == thread }
      steps.append(
        (0..<count).map { _ in
          Array(own.shuffled(using: &random).prefix(.random(in: 1...2, using: &random)))
        })
      for root in own {
        last[root] = [0]
        for (step, written) in steps[thread].enumerated() {
          last[root].append(written.contains(root) ? step + 1 : last[root][step])
        }
      }
    }
  }

  func check(_ seen: Seen, after before: Seen, _ wrong: Record<String>) {
    if seen.isTorn { wrong.add("Torn: \(seen.steps)") }
    for thread in 0..<Self.threads {
      let own = seen.steps.indices.filter { $0 % Self.threads == thread && seen.steps[$0] != nil }
      let newest = own.compactMap { seen.steps[$0] }.max() ?? 0
      for root in own where seen.steps[root] != last[root][newest] {
        wrong.add("Never was: \(seen.steps)")
      }
    }
    for (old, new) in zip(before.steps, seen.steps) {
      if let old, let new, new < old { wrong.add("Older: \(seen.steps) after \(before.steps)") }
    }
  }
}

/// A random graph.
private struct Graph: Sendable {
  static let rootCount = 8

  let roots = (0..<rootCount).map { CurrentValue(Seen($0, 0)) }
  private(set) var nodes: [StateOutlet<Seen>]

  init(seed: UInt64) {
    var random = Dice(seed: seed)
    nodes = roots.map(\.outlet)
    for _ in 0..<20 {
      let some = (0..<3).map { _ in nodes[.random(in: 0..<nodes.count, using: &random)] }
      let node = Self.node(.random(in: 0..<7, using: &random), of: some[0], some[1], some[2])
      nodes.append(node ?? Self.array(of: Array(nodes.suffix(10))))
    }
  }

  private static func node(
    _ kind: Int, of one: StateOutlet<Seen>, _ two: StateOutlet<Seen>, _ three: StateOutlet<Seen>
  ) -> StateOutlet<Seen>? {
    switch kind {
    case 0: one.map { $0.merged(with: $0) }
    case 1: one.removeDuplicates()
    case 2: StateOutlet.combine(one, two).map { $0.merged(with: $1) }
    case 3: array(of: [one, two, three])
    case 4: one.flatMap { seen in (seen.isEven ? two : three).map { $0.merged(with: seen) } }
    case 5:
      StateOutlet(tracking: {
        let seen = one.value
        return seen.isEven ? two.value.merged(with: seen) : seen
      })
    // One of more than a few.
    default: nil
    }
  }

  private static func array(of parts: [StateOutlet<Seen>]) -> StateOutlet<Seen> {
    StateOutlet.combine(parts).map { $0.reduce(Seen()) { $0.merged(with: $1) } }
  }
}

/// Steele, Lea, Flood: *Fast splittable pseudorandom number generators*, 2014.
private struct Dice: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }
}
