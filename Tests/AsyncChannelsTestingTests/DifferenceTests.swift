import AsyncChannels
import AsyncChannelsTesting
import Foundation
import XCTest

/// A probe of state with many parts shows what differs, and expects changes.
final class DifferenceTests: XCTestCase {
  private let state = CurrentValue(Screen())

  func test_aFailureShowsWhatDiffersLineByLine() async throws {
    let probe = Probe(state.outlet, as: "state")
    try await probe.expect(Screen())
    state.value.items[0].title = "uno"
    let text = await failure { try await probe.expect { $0.items[0].title = "eins" } }
    for line in ["− is expected, + came:", "items:", "[0]:", "− title: eins", "+ title: uno"]
    where !text.replacingOccurrences(of: "\"", with: "").contains(line) {
      XCTFail("\(line) is not in \(text)")
    }
    XCTAssertTrue(text.hasSuffix("(7 parts are as expected.)"), text)
  }

  func test_aChangeOfManyPartsIsExpected() async throws {
    let probe = Probe(state.outlet)
    try await probe.next()
    state.update {
      $0.isLoading = true; $0.items = []
    }
    try await probe.expect {
      $0.isLoading = true; $0.items = []
    }
    state.value.items = [Item(id: 1, title: "one")]
    // And nothing else: isLoading stays.
    let text = await failure {
      try await probe.expect {
        $0.items = [Item(id: 1, title: "one")]; $0.isLoading = false
      }
    }
    XCTAssertTrue(text.contains("  − isLoading: false\n  + isLoading: true\n"), text)
    try probe.finish()
  }

  func test_theFirstElementCannotBeAChange() async throws {
    let text = await failure { try await Probe(self.state.outlet).expect { $0.isLoading = true } }
    XCTAssertTrue(text.contains("before there was an element to change"), text)
  }

  func test_aChangeThatChangesNothingIsAMistake() async throws {
    let probe = Probe(state.outlet)
    try await probe.next()
    let text = await failure { try await probe.expect { $0.isLoading = false } }
    XCTAssertTrue(text.contains("changes nothing"), text)
  }

  func test_aDifferenceShowsNoSecrets() async throws {
    let logins = CurrentValue(Login(name: "a", password: "first-secret", count: 1))
    let probe = Probe(logins.outlet)
    try await probe.next()
    logins.value = Login(name: "b", password: "second-secret", count: 1)
    let text = await failure { try await probe.expect { $0.name = "c" } }
    XCTAssertTrue(text.contains("name: "), text)
    XCTAssertTrue(text.contains("password: …"), text)
    XCTAssertFalse(text.contains("first-secret"), text)
  }

  func test_longListsAreShownWhereTheyDiffer() async throws {
    let numbers = CurrentValue(Array(0..<1_000))
    let probe = Probe(numbers.outlet)
    try await probe.next()
    numbers.value.remove(at: 500)
    let text = await failure { try await probe.expect { $0.remove(at: 501) } }
    XCTAssertTrue(
      text.contains("− [500]: 500\n  + [500]: 501\n  (998 parts are as expected.)"), text)
  }

  private func failure(_ body: () async throws -> Void) async -> String {
    do {
      try await body()
      return "It passed."
    } catch {
      return "\(error)"
    }
  }
}

private struct Item: Equatable, Sendable {
  let id: Int
  var title: String
}

private struct Screen: Equatable, Sendable {
  var query = "s"
  var isLoading = false
  var isRefreshing = false
  var error: String?
  var items = [Item(id: 1, title: "one"), Item(id: 2, title: "two")]
  var page = 1
}

private struct Login: Equatable, Sendable {
  var name: String
  var password: String
  var count: Int
}
