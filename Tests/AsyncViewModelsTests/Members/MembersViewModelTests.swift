import AsyncChannelsRunning
import AsyncChannelsTesting
import AsyncViewModels
import Observation
import Synchronization
import TestSupport
import XCTest

/// Row: views of it.
final class MembersViewModelTests: XCTestCase {
  private let manager = SpyMemberManager()

  /// The articles' own case.
  @MainActor
  func test_theSummaryShowsTheCount() async throws {
    let summary = MembersSummaryViewModel(manager: manager)
    let counts = Probe(summary.memberCount)
    try await withRunning(summary) {
      manager.results.send(.success(.annAndBob))
      let shown = try await counts.next(2)
      XCTAssertEqual(shown, [0, 2])
      manager.results.send(.success([]))
      let next = try await counts.next()
      XCTAssertEqual(next, 0)
    }
  }

  @MainActor
  func test_aFailureKeepsTheLastGoodListOnScreen() async throws {
    let summary = MembersSummaryViewModel(manager: manager)
    let list = MembersViewModel(manager: manager)
    let counts = Probe(summary.memberCount)
    let lists = Probe(list.members)
    try await withRunning(summary, list) {
      manager.results.send(.success(.annAndBob))
      let shown = (try await counts.next(2), try await lists.next(2))
      XCTAssertEqual(shown.0, [0, 2])
      XCTAssertEqual(shown.1, [[], .annAndBob])
      manager.results.send(.failure(.invalidName), replayed: false)
      manager.results.send(.success([]))
      let next = (try await counts.next(), try await lists.next())
      XCTAssertEqual(next.0, 0, "nothing was shown for the failure")
      XCTAssertEqual(next.1, [])
    }
  }

  @MainActor
  func test_theListRemovesAndResetsThroughTheManager() async throws {
    let list = MembersViewModel(manager: manager)
    list.remove.send(Member(id: 3, name: "Cy"))
    list.reset.send()
    XCTAssertEqual(manager.commands, ["remove 3", "reset"])
  }

  @MainActor
  func test_theFormAddsTheNameAsItIsWhenItIsSent() async throws {
    let form = NewMemberViewModel(manager: manager)
    form.name = "Ann"
    form.add.send()
    form.name = "Bob"
    form.add.send()
    XCTAssertEqual(manager.commands, ["add Ann", "add Bob"])
  }

  @MainActor
  func test_anInputOfAFormThatIsGoneAddsNothingAndSaysSo() async throws {
    var form: NewMemberViewModel? = NewMemberViewModel(manager: manager)
    form?.name = "Ann"
    let add = form?.add
    form = nil
    guard case .finished? = add?.send() else { return XCTFail("the form's name was kept") }
    XCTAssertEqual(manager.commands, [])
  }

  @MainActor
  func test_theFormShowsTheLastFailureUntilTheNextSuccess() async throws {
    let form = NewMemberViewModel(manager: manager)
    let failures = Probe(form.failure)
    try await withRunning(form) {
      manager.results.send(.failure(.invalidName), replayed: false)
      let shown = try await failures.next(2)
      XCTAssertEqual(shown, [nil, .invalidName])
      XCTAssertEqual(form.failure.value, .invalidName)
      manager.results.send(.success([]))
      let cleared = try await failures.next()
      XCTAssertNil(cleared)
    }
  }

  @MainActor
  func test_theFormIsEmptyWhenItsNameIsInTheListAndKeepsWhatWasTypedMeanwhile() async throws {
    let form = NewMemberViewModel(manager: manager)
    let failures = Probe(form.failure)
    try await withRunning(form) {
      manager.results.send(.success([Member(id: 1, name: "Ann")]))
      try await failures.expect(nil)
      try await failures.expect(nil)
      form.name = "Ann"
      form.add.send()
      // What another one did.
      manager.results.send(.success([]))
      try await failures.expect(nil)
      XCTAssertEqual(form.name, "Ann")
      manager.results.send(.success([Member(id: 2, name: "Bob"), Member(id: 3, name: "Ann")]))
      try await failures.expect(nil)
      XCTAssertEqual(form.name, "")

      form.name = "Cy"
      form.add.send()
      form.name = "Cyd"
      manager.results.send(.success([Member(id: 3, name: "Ann"), Member(id: 4, name: "Cy")]))
      try await failures.expect(nil)
      XCTAssertEqual(form.name, "Cyd")
    }
  }

  @MainActor
  func test_theFormKeepsANameThatWasRefused() async throws {
    let manager = DefaultMemberManager()
    let form = NewMemberViewModel(manager: manager)
    let failures = Probe(form.failure)
    try await withRunning(manager.run) {
      try await withRunning(form) {
        form.name = "invalid name"
        form.add.send()
        _ = try await failures.next(where: { $0 == .invalidName })
        XCTAssertEqual(form.name, "invalid name")
        form.name = "Ann"
        form.add.send()
        _ = try await failures.next(where: { $0 == nil })
        XCTAssertEqual(form.name, "")
      }
    }
  }

  @MainActor
  func test_theFormHearsOfAFailureThatCameWhileItDidNotRun() async throws {
    let form = NewMemberViewModel(manager: manager)
    let failures = Probe(form.failure)
    manager.results.send(.failure(.invalidName), replayed: false)
    try await withRunning(form) {
      let shown = try await failures.next(2)
      XCTAssertEqual(shown, [nil, .invalidName])
    }
  }

  @MainActor
  func test_aViewModelThatIsRunAgainShowsTheListAsItIsThen() async throws {
    let list = MembersViewModel(manager: manager)
    let lists = Probe(list.members)
    manager.results.send(.success([]))
    try await withRunning(list) { _ = try await lists.next(2) }
    manager.results.send(.success(.annAndBob))
    try await withRunning(list) {
      let shown = try await lists.next()
      XCTAssertEqual(shown, .annAndBob)
    }
  }

  @MainActor
  func test_twoViewModelsOnOneManagerAgreeOnceBothHaveCaughtUp() async throws {
    let manager = DefaultMemberManager()
    let lists = [MembersViewModel(manager: manager), MembersViewModel(manager: manager)]
    let summary = MembersSummaryViewModel(manager: manager)
    try await withRunning(manager.run) {
      try await withRunning(lists[0], lists[1], summary) {
        await withTaskGroup { group in
          for sender in 0..<4 {
            group.addTask {
              for number in 0..<100 { manager.addMember.send("\(sender)/\(number)") }
            }
          }
        }
        for list in lists {
          _ = try await Probe(list.members).next(where: { $0.count == 400 })
        }
        _ = try await Probe(summary.memberCount).next(where: { $0 == 400 })
        XCTAssertEqual(lists[0].members.value, lists[1].members.value)
        XCTAssertEqual(Set(lists[0].members.value.map(\.id)), Set(1...400))
      }
    }
  }

  @MainActor
  func test_aViewThatReadsOnlyTheCountIsToldWhenItChanged() async throws {
    let summary = MembersSummaryViewModel(manager: manager)
    let counts = Probe(summary.memberCount)
    let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
    withObservationTracking {
      _ = summary.memberCount.value
    } onChange: {
      continuation.yield()
    }
    try await withRunning(summary) {
      manager.results.send(.success(.annAndBob))
      try await within { _ = await changes.first { true } }
      _ = try await counts.next(2)
      XCTAssertEqual(summary.memberCount.value, 2)
    }
  }
}
