import TestSupport
import XCTest

@testable import AsyncChannels

/// Graphs that change while they are used, as the suites' "dynamic" programs have them.
final class ChoosingTests: XCTestCase {
  /// Layers of cells, each of which reads some of the layer before: which, its first says. A model of plain numbers
  /// tells what is right.
  func test_C140b_randomLayersThatChooseWhatTheyRead() {
    for seed in 1...UInt64(Length.rounds(100)) {
      var random = SplitMix64(seed: seed)
      let width = Int.random(in: 3...10, using: &random)
      let roots = (0..<width).map { CurrentValue($0) }
      let layers = (0..<Int.random(in: 1...5, using: &random)).map { _ in
        (0..<width).map { _ in (0..<3).map { _ in Int.random(in: 0..<width, using: &random) } }
      }
      let calls = Record<[Int]>()
      var cells = roots.map(\.outlet)
      for (depth, layer) in layers.enumerated() {
        let below = cells
        cells = layer.enumerated().map { place, sources in
          StateOutlet(tracking: {
            calls.add([depth, place])
            let first = below[sources[0]].value
            return first &+ below[sources[first.isMultiple(of: 2) ? 1 : 2]].value
          })
        }
      }
      let followers = cells.map { $0.subscribe() }
      for _ in 0..<20 {
        let place = Int.random(in: 0..<width, using: &random)
        roots[place].value = Int.random(in: -9...9, using: &random)
        var expected = roots.map(\.value)
        for layer in layers {
          let below = expected
          expected = layer.map { sources in
            let first = below[sources[0]]
            return first &+ below[sources[first.isMultiple(of: 2) ? 1 : 2]]
          }
        }
        _ = calls.take()
        if Bool.random(using: &random) { XCTAssertEqual(cells.map(\.value), expected, "\(seed)") }
        let told = followers.map { $0.takeNow().element }
        for (index, told) in told.enumerated() where told != nil {
          XCTAssertEqual(told, expected[index], "\(seed)")
        }
        XCTAssertEqual(cells.map(\.value), expected, "\(seed)")
        let made = calls.take()
        XCTAssertEqual(made.count, Set(made).count, "\(seed): one was made twice for one change")
      }
    }
  }

  func test_C140b_aChoiceWithinAChoiceIsFollowed() {
    let rooms = (0..<2).map { room in (0..<2).map { CurrentValue("\(room) \($0)") } }
    let (room, row) = (CurrentValue(0), CurrentValue(0))
    let text = room.outlet.flatMap { room in row.outlet.flatMap { rooms[room][$0].outlet } }
    let follower = text.subscribe()
    XCTAssertEqual(follower.takeNow().element, "0 0")
    row.value = 1
    XCTAssertEqual(follower.takeNow().element, "0 1")
    room.value = 1
    XCTAssertEqual(follower.takeNow().element, "1 1")
    for room in 0..<2 { for row in 0..<2 { rooms[room][row].value += "!" } }
    XCTAssertEqual([follower.takeNow().element, text.value], ["1 1!", "1 1!"])
    XCTAssertEqual(
      rooms.map { $0.map(\.subscriberCount) }, [[0, 0], [0, 1]], "the others are not followed")
  }

  /// A collection of view models, of which some come and go.
  func test_C140b_theRowsThatAreThereAreFollowed() {
    let rows = CurrentValue((0..<3).map { CurrentValue($0) })
    let sum = rows.outlet.flatMap { StateOutlet.combine($0.map(\.outlet)) }.map { $0.reduce(0, +) }
    let follower = sum.subscribe()
    XCTAssertEqual(follower.takeNow().element, 3)
    let gone = rows.value[0]
    rows.update { rows in
      rows.removeFirst()
      rows.append(CurrentValue(10))
    }
    XCTAssertEqual([sum.value, follower.takeNow().element], [13, 13])
    gone.value = 100
    XCTAssertNil(follower.takeNow().element)
    XCTAssertEqual(gone.subscriberCount, 0)
    rows.value[2].value = 20
    XCTAssertEqual([follower.takeNow().element, sum.value], [23, 23])
  }

  /// What is made of an equal value is not made anew, and follows the other states all the same.
  func test_C140b_aChoiceOfAnEqualValueIsFollowed() {
    for count in [1, 9] {
      let choice = CurrentValue(0)
      let (before, parts) = (CurrentValue(0), (0..<count).map { _ in CurrentValue(0) })
      let sum = StateOutlet.combine(parts.map(\.outlet)).map { $0.reduce(0, +) }
      let chosen = choice.outlet.flatMap { $0 == 0 ? before.outlet : sum }.removeDuplicates()
      let text = chosen.map { "\($0)" }
      let binding = SplitBinding(reading: text, writing: Channel<String>().inlet)
      let follower = text.subscribe()
      XCTAssertEqual([follower.takeNow().element, text.value, binding.value], ["0", "0", "0"])
      choice.value = 1
      XCTAssertNil(follower.takeNow().element)
      XCTAssertEqual([text.value, binding.value], ["0", "0"])
      parts[count - 1].value = 7
      XCTAssertEqual([follower.takeNow().element, text.value, binding.value], ["7", "7", "7"])
      before.value = 5
      XCTAssertNil(follower.takeNow().element)
    }
  }

  func test_C25_whatWasChosenBeforeIsLetGo() {
    let census = Census()
    let choice = CurrentValue(CurrentValue(Tracked(1, in: census)))
    let number = choice.outlet.flatMap(\.outlet).map(\.number)
    let follower = number.subscribe()
    XCTAssertEqual(follower.takeNow().element, 1)
    for next in 2...5 {
      choice.value = CurrentValue(Tracked(next, in: census))
      XCTAssertEqual([follower.takeNow().element, number.value], [next, next])
      XCTAssertLessThanOrEqual(census.count, 2)
    }
  }

  /// Also by what is made of an equal value, and is not made anew.
  func test_C25_whatWasChosenBeforeIsLetGoThoughItsValueIsEqual() {
    let census = Census()
    let choice = CurrentValue(CurrentValue(Tracked(1, in: census)))
    let number = choice.outlet.flatMap(\.outlet).map(\.number).removeDuplicates()
    let text = number.map { "\($0)" }
    let shown = text.map { $0 + "!" }
    XCTAssertEqual([text.value, shown.value], ["1", "1!"])
    choice.value = CurrentValue(Tracked(1, in: census))
    XCTAssertEqual(shown.value, "1!")
    XCTAssertEqual(census.count, 1)
  }
}
