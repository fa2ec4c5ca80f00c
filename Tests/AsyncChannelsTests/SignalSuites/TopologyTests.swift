import TestSupport
import XCTest

@testable import AsyncChannels

/// The shapes of graphs that the suites of Preact's signals, alien-signals and Reactively try. They call a computed value
/// what is derived state here, and an effect what is a follower. In them, each computed value leaves out equal ones, as
/// `removeDuplicates()` does here.
final class TopologyTests: XCTestCase {
  private let calls = Record<String>()

  private func computed<Value: Equatable>(
    _ name: String, _ body: @escaping @Sendable () -> Value
  ) -> StateOutlet<Value> {
    StateOutlet(tracking: { [calls] in
      calls.add(name)
      return body()
    }).removeDuplicates()
  }

  private func assertCalls(_ names: String..., line: UInt = #line) {
    XCTAssertEqual(calls.take(), names, line: line)
  }

  func test_C140a_aWayOutAndBackIsOneChange() {
    let a = CurrentValue(2)
    let b = computed("b") { a.value - 1 }
    let c = computed("c") { a.value + b.value }
    let d = computed("d") { "d: \(c.value)" }
    XCTAssertEqual(d.value, "d: 3")
    assertCalls("d", "c", "b")
    a.value = 4
    XCTAssertEqual(d.value, "d: 7")
    XCTAssertEqual(calls.take().sorted(), ["b", "c", "d"])
  }

  func test_C118_aDiamondWithATailIsMadeOnce() {
    let a = CurrentValue("a")
    let (b, c) = (computed("b") { a.value }, computed("c") { a.value })
    let d = computed("d") { "\(b.value) \(c.value)" }
    let tail = computed("tail") { d.value }
    let follower = tail.subscribe()
    XCTAssertEqual([tail.value, follower.takeNow().element], ["a a", "a a"])
    _ = calls.take()
    a.value = "A"
    XCTAssertEqual([follower.takeNow().element, tail.value], ["A A", "A A"])
    XCTAssertEqual(calls.take().sorted(), ["b", "c", "d", "tail"])
  }

  func test_C140a_anEqualResultEndsTheChange() {
    let a = CurrentValue("a")
    let b = computed("b") { () -> String in
      _ = a.value
      return "same"
    }
    let c = computed("c") { b.value }
    XCTAssertEqual(c.value, "same")
    assertCalls("c", "b")
    a.value = "A"
    XCTAssertEqual(c.value, "same")
    assertCalls("b")
  }

  func test_C118_inAJaggedDiamondEachIsMadeOnceAndAfterWhatItReads() {
    let a = CurrentValue("a")
    let (b, c) = (computed("b") { a.value }, computed("c") { a.value })
    let d = computed("d") { c.value }
    let e = computed("e") { "\(b.value) \(d.value)" }
    let (f, g) = (computed("f") { e.value }, computed("g") { e.value })
    let followers = [f.subscribe(), g.subscribe()]
    _ = followers.map { $0.takeNow() }
    for text in ["B", "C"] {
      _ = calls.take()
      a.value = text
      XCTAssertEqual(
        followers.map { $0.takeNow().element }, ["\(text) \(text)", "\(text) \(text)"])
      XCTAssertEqual(calls.take().sorted(), ["b", "c", "d", "e", "f", "g"])
    }
  }

  func test_C140a_whatNobodyReadsIsNotMade() {
    let a = CurrentValue("a")
    let b = computed("b") { a.value }
    let c = computed("c") { b.value }
    let d = computed("d") { a.value }
    a.value = "A"
    assertCalls()
    XCTAssertEqual(d.value, "A")
    assertCalls("d")
    XCTAssertEqual(a.subscriberCount, 0)
    do {
      let follower = c.subscribe()
      XCTAssertEqual(follower.takeNow().element, "A")
      XCTAssertEqual(a.subscriberCount, 1)
      assertCalls("c", "b")
    }
    XCTAssertEqual(a.subscriberCount, 0)
    a.value = "aa"
    assertCalls()
  }

  func test_C140a_aPartThatIsTheSameHoldsUpNoOther() {
    let a = CurrentValue("a")
    let b = computed("b") { a.value }
    let same = computed("same") { () -> String in
      _ = a.value
      return "c"
    }
    let other = computed("other") { () -> Int in
      _ = a.value
      return 1
    }
    let two = computed("two") { "\(b.value) \(same.value)" }
    let three = computed("three") { "\(same.value) \(b.value) \(other.value)" }
    let none = computed("none") { "\(same.value) \(other.value)" }
    let followers = [two, three, none].map { $0.subscribe() }
    XCTAssertEqual(followers.map { $0.takeNow().element }, ["a c", "c a 1", "c 1"])
    _ = calls.take()
    a.value = "A"
    XCTAssertEqual(followers.map { $0.takeNow().element }, ["A c", "c A 1", nil])
    XCTAssertEqual(calls.take().sorted(), ["b", "other", "same", "three", "two"])
    XCTAssertEqual(none.value, "c 1")
    assertCalls()
  }

  func test_C140b_aBranchThatIsNotTakenIsNotMade() {
    let (a, isTaken) = (CurrentValue(0), CurrentValue(true))
    let branch = computed("branch") { a.value + 1 }
    let chosen = computed("chosen") { isTaken.value ? branch.value : -1 }
    let follower = chosen.subscribe()
    XCTAssertEqual(follower.takeNow().element, 1)
    isTaken.value = false
    XCTAssertEqual(follower.takeNow().element, -1)
    _ = calls.take()
    for number in 1...3 {
      a.value = number
      XCTAssertNil(follower.takeNow().element)
      XCTAssertEqual(chosen.value, -1)
    }
    assertCalls()
    isTaken.value = true
    XCTAssertEqual(follower.takeNow().element, 4)
    XCTAssertEqual(calls.take().sorted(), ["branch", "chosen"])
  }

  /// Else what is asked first would be made though a later look finds that it is not read any more.
  func test_C140b_whatGuardsAReadingIsLookedAtFirst() {
    let list = CurrentValue([1])
    let isEmpty = computed("isEmpty") { list.value.isEmpty }
    let first = computed("first") { list.value[0] }
    let text = computed("text") { isEmpty.value ? "none" : "\(first.value)" }
    let follower = text.subscribe()
    XCTAssertEqual([text.value, follower.takeNow().element], ["1", "1"])
    list.value = []
    XCTAssertEqual([text.value, follower.takeNow().element], ["none", "none"])
    list.value = [2]
    XCTAssertEqual([text.value, follower.takeNow().element], ["2", "2"])
  }

  func test_C140a_aFailureIsAValueAndEndsWhenItsCauseDoes() {
    struct Failure: Error {}
    let a = CurrentValue(0)
    let b = StateOutlet(tracking: {
      a.value == 1 ? Result<Int, Failure>.failure(Failure()) : .success(a.value)
    })
    let c = StateOutlet(tracking: { b.value.map { $0 * 10 } })
    let follower = c.subscribe()
    for number in [0, 1, 2] {
      a.value = number
      for result in [c.value, follower.takeNow().element] {
        XCTAssertEqual(try? result?.get(), number == 1 ? nil : number * 10)
      }
    }
  }

  func test_C140c_whatIsReadUntrackedIsNoCause() {
    let (a, b) = (CurrentValue(1), CurrentValue(10))
    let sum = computed("sum") { a.value + untracked { b.value } }
    let follower = sum.subscribe()
    XCTAssertEqual(follower.takeNow().element, 11)
    b.value = 20
    XCTAssertNil(follower.takeNow().element)
    XCTAssertEqual(sum.value, 11)
    a.value = 2
    XCTAssertEqual([sum.value, follower.takeNow().element], [22, 22])
  }

  func test_C141a_changesOfOneStepAreOneChange() {
    let (first, last) = (CurrentValue("Ann"), CurrentValue("Lee"))
    let name = computed("name") { "\(first.value) \(last.value)" }
    let follower = name.subscribe()
    XCTAssertEqual(follower.takeNow().element, "Ann Lee")
    _ = calls.take()
    updateTogether(first, last) { ($0, $1) = ("Bob", "Ray") }
    XCTAssertEqual(follower.takeNow().element, "Bob Ray")
    XCTAssertNil(follower.takeNow().element)
    assertCalls("name")
    // There and back.
    updateTogether(first, last) { first, _ in
      first = "Cleo"
      first = "Bob"
    }
    XCTAssertNil(follower.takeNow().element)
    assertCalls("name")
  }
}
