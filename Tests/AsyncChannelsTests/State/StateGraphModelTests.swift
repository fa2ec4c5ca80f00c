import Foundation
import Observation
import Synchronization
import TestSupport
import XCTest

@testable import AsyncChannels

/// Random graphs of derived state beside a model of plain numbers. Threads write and read them. After that, each follower,
/// each binding and each reader must have what is right, and must hear of each change.
final class StateGraphModelTests: XCTestCase {
  @MainActor
  func test_C140b_whoFollowsARandomGraphHearsOfEachChangeAfterARace() async throws {
    for seed in 1...UInt64(Length.rounds(400)) {
      var graph = Watched(seed: seed)
      try await graph.race()
      graph.check("after the race")
      for step in 0..<10 { graph.writeOne("step \(step)") }
    }
  }
}

/// A state, and what it must be, given the values of all that are written.
private struct Cell: Sendable {
  let outlet: StateOutlet<Int>
  let model: @Sendable ([Int]) -> Int
}

/// A graph, and who follows it.
private struct Watched: Sendable {
  private let seed: UInt64
  private var random: SplitMix64
  private let roots: [CurrentValue<Int>]
  private let cells: [Cell]
  private let followers: [Subscription<Int>]
  private let bindings: [SplitBinding<Int>]
  /// What each follower has got last.
  private var last: [Int?]

  init(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let roots = (0..<Int.random(in: 2...12, using: &random)).map { CurrentValue($0) }
    var cells = roots.indices.map { index in Cell(outlet: roots[index].outlet) { $0[index] } }
    for _ in 0..<Int.random(in: 4...24, using: &random) {
      cells.append(.random(of: cells, &random))
    }
    cells.removeFirst(roots.count)
    let input = Channel<Int>().inlet
    followers = cells.map { $0.outlet.subscribe() }
    bindings = cells.map { SplitBinding(reading: $0.outlet, writing: input) }
    last = cells.map { _ in nil }
    (self.seed, self.random, self.roots, self.cells) = (seed, random, roots, cells)
  }

  /// Two threads write, two read, and this one follows.
  mutating func race() async throws {
    let isOver = Atomic(0)
    let (seed, roots, cells, bindings) = (seed, roots, cells, bindings)
    try await onThreads(4) { thread in
      var random = SplitMix64(seed: seed &* 100 &+ UInt64(thread))
      if thread < 2 {
        for _ in 0..<100 { Self.write(to: roots, &random) }
        isOver.add(1, ordering: .relaxed)
      } else {
        while isOver.load(ordering: .relaxed) < 2 {
          let number = Int.random(in: cells.indices, using: &random)
          _ = thread == 2 ? cells[number].outlet.value : bindings[number].value
        }
      }
    }
  }

  private static func write(to roots: [CurrentValue<Int>], _ random: inout SplitMix64) {
    let one = Int.random(in: roots.indices, using: &random)
    let other = Int.random(in: roots.indices, using: &random)
    if one != other, Int.random(in: 0..<10, using: &random) == 0 {
      updateTogether(roots[one], roots[other]) { swap(&$0, &$1) }
    } else {
      roots[one].value = .random(in: 0..<10, using: &random)
    }
  }

  private var right: [Int] {
    let values = roots.map(\.value)
    return cells.map { $0.model(values) }
  }

  mutating func check(_ when: String) {
    for (number, right) in right.enumerated() {
      while let next = followers[number].takeNow().element { last[number] = next }
      XCTAssertEqual(last[number], right, "follower \(number), \(when), seed \(seed)")
      if .random(using: &random) { continue }
      XCTAssertEqual(cells[number].outlet.value, right, "state \(number), \(when), seed \(seed)")
      XCTAssertEqual(bindings[number].value, right, "binding \(number), \(when), seed \(seed)")
    }
  }

  /// Whoever has read a binding is told if it changes.
  mutating func writeOne(_ when: String) {
    let (before, told) = (right, Record<Int>())
    for number in cells.indices {
      withObservationTracking {
        _ = bindings[number].value
      } onChange: {
        told.add(number)
      }
    }
    roots[.random(in: roots.indices, using: &random)].value = .random(in: 0..<10, using: &random)
    let changed = zip(before, right).enumerated().filter { $1.0 != $1.1 }.map(\.offset)
    let missed = Set(changed).subtracting(told.take())
    XCTAssertEqual(missed, [], "not told, \(when), seed \(seed)")
    check(when)
  }
}

extension Cell {
  /// One that is made of some of these.
  static func random(of cells: [Cell], _ random: inout SplitMix64) -> Cell {
    let (one, two, three) = (
      pick(cells, &random), pick(cells, &random), pick(cells, &random)
    )
    let choice: @Sendable ([Int]) -> Int = {
      one.model($0).isMultiple(of: 2) ? two.model($0) : three.model($0)
    }
    switch Int.random(in: 0..<8, using: &random) {
    case 0: return Cell(outlet: one.outlet.map { $0 &* 3 }) { one.model($0) &* 3 }
    case 1:
      return Cell(outlet: one.outlet.map { $0 >> 2 }.removeDuplicates()) { one.model($0) >> 2 }
    case 2:
      return Cell(
        outlet: StateOutlet(tracking: {
          one.outlet.value.isMultiple(of: 2) ? two.outlet.value : three.outlet.value
        }), model: choice)
    case 3:
      return Cell(
        outlet: one.outlet.flatMap { $0.isMultiple(of: 2) ? two.outlet : three.outlet },
        model: choice)
    case 4:
      return Cell(outlet: StateOutlet.combine(one.outlet, two.outlet).map { $0 &- $1 }) {
        one.model($0) &- two.model($0)
      }
    case 5, 6:
      let parts = (0..<Int.random(in: 1...16, using: &random)).map { _ in pick(cells, &random) }
      return Cell(outlet: StateOutlet.combine(parts.map(\.outlet)).map(hash)) { values in
        hash(parts.map { $0.model(values) })
      }
    default:
      // Arrays in an array.
      let lists = (0..<Int.random(in: 1...12, using: &random)).map { _ in
        (0..<Int.random(in: 1...5, using: &random)).map { _ in pick(cells, &random) }
      }
      let arrays = lists.map { StateOutlet.combine($0.map(\.outlet)) }
      return Cell(outlet: StateOutlet.combine(arrays).map { hash(Array($0.joined())) }) { values in
        hash(lists.joined().map { $0.model(values) })
      }
    }
  }

  private static func pick(_ cells: [Cell], _ random: inout SplitMix64) -> Cell {
    cells[.random(in: cells.indices, using: &random)]
  }
}

/// It depends on the order.
private func hash(_ numbers: [Int]) -> Int { numbers.reduce(0) { $0 &* 31 &+ $1 } }
