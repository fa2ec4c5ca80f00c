import Synchronization
import TestSupport
import XCTest

@testable import AsyncChannels
@testable import AsyncChannelsRecording

/// C110: what it costs to describe an element does not grow with its size.
final class DescriptionBudgetTests: XCTestCase {
  private struct Row { let id: Int, title = "title", tags = ["a": 1] }
  private indirect enum Tree {
    case leaf(Int), node([Tree])
    init(_ depth: Int, _ width: Int) {
      self = depth == 0 ? .leaf(1) : .node((0..<width).map { _ in Tree(depth - 1, width) })
    }
  }
  private struct Document: CustomStringConvertible {
    let numbers: [Int]
    var description: String { "Document of \(numbers.count)" }
  }
  private struct Rows: CustomStringConvertible {
    let rows: [Row]
    var description: String { "Rows \(rows.count)" }
  }
  /// Counts how often somebody asks for one of its parts.
  private struct Counted: CustomReflectable {
    let looks: Looks
    var customMirror: Mirror {
      looks.count.withLock { $0 += 1 }
      return Mirror(self, children: ["part": 1])
    }
  }
  private final class Looks: Sendable { let count = Locked(0) }

  func test_C110_noMoreOfAnElementIsLookedAtThanTheBudgetAllows() {
    for size in [1_000, 20_000] {
      let looks = Looks()
      let counted = Array(repeating: Counted(looks: looks), count: size)
      let values: [Any] = [
        counted, Dictionary(uniqueKeysWithValues: counted.enumerated().map { ($0, $1) }),
        [[counted, counted], [counted]], ["a": counted, "b": counted] as [String: Any],
        Result<[Counted], Never>.success(counted), (counted, counted),
      ]
      for value in values {
        looks.count.withLock { $0 = 0 }
        let words = Describer().describe(value)
        XCTAssertLessThanOrEqual(words.count, 200)
        XCTAssertLessThanOrEqual(looks.count.withLock { $0 }, 2 * Describer.limit.nodes)
      }
    }
  }

  func test_C110_ofALargeSetOrDictionaryTheSizeIsShown() {
    XCTAssertEqual(Describer().describe(Set(0..<10_000)), "[10000 elements]")
    let rows = Dictionary(uniqueKeysWithValues: (0..<10_000).map { ($0, Row(id: $0)) })
    XCTAssertEqual(Describer().describe(rows), "[10000 elements]")
    let few = Dictionary(uniqueKeysWithValues: (10..<30).map { ($0, $0) })
    XCTAssertTrue(Describer().describe(few).hasPrefix("[10: 10, 11: 11, "))
    XCTAssertTrue(Describer().describe(few).hasSuffix("… 4 more]"))
  }

  func test_C110_whatDescribesItselfAndIsTooLargeToBeSearchedShowsItsType() {
    XCTAssertEqual(Describer().describe(Document(numbers: Array(0..<10_000))), "Document of 10000")
    XCTAssertEqual(Describer().describe(Rows(rows: [Row(id: 1)])), "Rows 1")
    XCTAssertEqual(Describer().describe(Rows(rows: (0..<10_000).map(Row.init))), "Rows(…)")
  }

  func test_C110_treesAndTextsHaveNoMoreWordsThanTheyMay() {
    XCTAssertLessThanOrEqual(Describer().describe(Tree(6, 8)).count, 200)
    XCTAssertEqual(Describer().describe(String(repeating: "é", count: 100_000)).count, 200)
  }

  func test_C87a_whatIsLeftOutDoesNotDependOnTheOrderOfASet() {
    func rows(_ count: Int) -> [String: [String: Row]] {
      Dictionary(
        uniqueKeysWithValues: (0..<count).map { number in
          ("\(number)", ["a": Row(id: number), "b": Row(id: -number)])
        })
    }
    for count in [3, 10, 30, 60, 100, 200] {
      let first = Describer().describe(rows(count))
      for _ in 0..<20 {
        var shuffled = [String: [String: Row]](minimumCapacity: .random(in: 0...1_000))
        for (key, value) in rows(count).shuffled() { shuffled[key] = value }
        XCTAssertEqual(Describer().describe(shuffled), first)
      }
    }
  }

  func test_C110_aRecordedBacklogIsTakenInTimeThatGrowsWithItOnly() async {
    var times: [Duration] = []
    for count in [2_000, 20_000] {
      let channel = Channel<Int>()
      let recording = Recording(limit: 100)
      recording.add(channel, as: "numbers")
      let elements = channel.outlet.subscribe(buffering: .bufferingOldest(count))
      for number in 0..<count { channel.send(number) }
      channel.finish()
      var sum = 0
      times.append(
        await ContinuousClock().measure { for await number in elements { sum += number } })
      XCTAssertEqual(sum, count * (count - 1) / 2)
    }
    // Ten times as long, were it not for the noise of a busy machine; a quadratic one takes more than sixty.
    XCTAssertLessThan(times[1] / times[0], 40)
  }

  /// A mirror of it traps.
  private struct Child: @unchecked Sendable, HiddenInRecordings {
    unowned let parent: Looks
  }
  /// Its description takes a lock that its sender holds.
  private final class Store: Sendable {
    struct Change: Sendable, CustomStringConvertible, HiddenInRecordings {
      let store: Store
      var description: String { store.value.withLock { "changed to \($0)" } }
    }
    struct Report: Sendable, CustomStringConvertible {
      let change: Change
      var description: String { change.description }
    }
    let value = Locked(0)
    let password = Channel<any Sendable>()
    let changes = Channel<any Sendable>()
  }

  func test_C110_ofATypeThatIsLeftOutNothingIsLookedAtAndNothingCalled() {
    let store = Store()
    let recording = Recording(of: store)
    var parent: Looks? = Looks()
    let child = parent.map { Child(parent: $0) }
    parent = nil
    let change = Store.Change(store: store)
    store.value.withLock { _ in
      for channel in [store.changes, store.password] {
        channel.send(child)
        channel.send([child])
        channel.send(change)
        channel.send(["a": change])
        channel.send(Store.Report(change: change))
        channel.send(["credentials": change])
      }
    }
    XCTAssertEqual(
      recording.flow.events.prefix(6).map(\.text),
      [
        "Child(…)", "[Child(…)]", "Change(…)", "[\"a\": Change(…)]", "Report(…)",
        "[\"credentials\": Change(…)]",
      ])
  }

  func test_C110_aQueueOfNumbersGivesWhatAnArrayGives() {
    var random = SplitMix64(seed: 122)
    for unknown in [0, 3, 200] {
      var queue = NumberQueue(unknown: unknown)
      var model = [Int?](repeating: nil, count: unknown)
      for step in 0..<20_000 {
        // It grows, and becomes empty again.
        let grows = step / 3_000 % 2 == 0
        if model.isEmpty || random.oneIn(grows ? 2 : 3) {
          let element = random.oneIn(10) ? nil : step
          queue.append(element)
          model.append(element)
        } else {
          XCTAssertEqual(queue.removeFirst(), model.removeFirst())
        }
        XCTAssertEqual(queue.count, model.count)
      }
      XCTAssertEqual(queue.all, model)
      while !model.isEmpty { XCTAssertEqual(queue.removeFirst(), model.removeFirst()) }
      XCTAssertEqual(queue.all, [])
    }
  }
}
