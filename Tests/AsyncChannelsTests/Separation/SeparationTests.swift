import AsyncChannels
import Foundation
import TestSupport
import XCTest

/// C44 is checked by the compiler: here are snippets that must not compile, with the message that says
/// why. They are compiled as one module, one file a group, in one process.
final class SeparationTests: XCTestCase {
  func test_C44_C113_whatTheEndsAreNotMadeForDoesNotCompile() async throws {
    guard let compiler = TypeChecker() else { throw XCTSkip("There is no swiftc in the path.") }
    let errors = try await compiler.errors(in: SeparationSnippets.files)
    for (file, snippets) in SeparationSnippets.files {
      let messages = errors[file] ?? []
      // As many as there are lines marked, and each of them on its line.
      let lines = snippets.components(separatedBy: "\n")
      let expected = lines.enumerated().compactMap { index, line in
        line.components(separatedBy: "// error: ").dropFirst().first.map { (index + 1, $0) }
      }
      for (line, sentence) in expected {
        let found = messages.filter { $0.line == line }.map(\.text)
        XCTAssert(
          found.contains { $0.contains(sentence) }, "\(file):\(line): \(sentence): found \(found)")
      }
      let others = messages.filter { message in !expected.contains { $0.0 == message.line } }
      XCTAssert(others.isEmpty, "\(file): \(others)")
    }
    // Whatever is reported without a place is a broken set-up.
    XCTAssertEqual(errors.keys.filter { SeparationSnippets.files[$0] == nil }, [])
  }

  func test_C44_theCompilerChecksTheSnippetsAtAll() async throws {
    // Without the library, even the controls are refused.
    guard let compiler = TypeChecker(modules: FileManager.default.temporaryDirectory) else {
      throw XCTSkip("There is no swiftc in the path.")
    }
    let errors = try await compiler.errors(in: ["Control.swift": "import AsyncChannels"])
    XCTAssert(errors["Control.swift"]?.first?.text.contains("no such module") == true, "\(errors)")
  }

  // C45 is checked by the compiler too, here: this file compiles with no warning in Swift 6 mode.

  func test_C45_theEndsCanBeRequiredByProtocolsAndPassedBetweenIsolations() async throws {
    let store = Store()
    let screen = await Screen(counting: store)
    let counting: any Counting = store
    let pairs: [any Counting] = [store, Pair(add: store.add, total: store.total), counting]
    let totals = await screen.total.subscribe()
    await withTaskGroup { group in
      for pair in pairs {
        group.addTask { _ = pair.add.send(1) }
        group.addTask { @MainActor in _ = screen.add.send(1) }
        group.addTask { await store.send(1) }
      }
    }
    assertEqual(try await totals.take(9), Array(1...9))
  }

  @MainActor
  func test_C45_aSubscriptionMadeInOneIsolationIsConsumedInAnother() async throws {
    let store = Store()
    let subscription = store.total.subscribe()
    let consumer = Task.detached { await subscription.first { $0 == 2 } }
    let inStore = Task { await store.first(of: store.total.subscribe()) }
    let onMain = Task { @MainActor in
      await store.total.filter { $0 > 1 }.makeAsyncIterator().next()
    }
    // What each of them awaits is sent only when all have subscribed.
    try await until("three subscribed") { store.subscriberCount == 3 }
    store.add.send(1)
    store.add.send(1)
    let firsts = try await within { await (consumer.value, inStore.value, onMain.value) }
    XCTAssertEqual(firsts.0, 2)
    XCTAssertEqual(firsts.1, 1)
    XCTAssertEqual(firsts.2, 2)
  }
}

private protocol Counting: Sendable {
  var add: Inlet<Int> { get }
  var total: Outlet<Int> { get }
}

/// An actor hands out its ends with no `await`.
private actor Store: Counting {
  private let totals = Channel<Int>()
  nonisolated let add: Inlet<Int>
  nonisolated var total: Outlet<Int> { totals.outlet }
  nonisolated var subscriberCount: Int { totals.subscriberCount }

  init() {
    let sum = CurrentValue(0)
    let totals = totals
    add = Inlet { number in
      sum.update { sum in
        sum += number
        totals.send(sum)
      }
    }
  }

  func send(_ number: Int) {
    add.send(number)
  }

  func first(of subscription: Subscription<Int>) async -> Int? {
    await subscription.first { _ in true }
  }
}

private struct Pair: Counting {
  let add: Inlet<Int>
  let total: Outlet<Int>
}

@MainActor
private final class Screen {
  let add: Inlet<Int>
  var total: Outlet<Int>

  init(counting: any Counting) {
    add = counting.add
    total = counting.total
  }
}
