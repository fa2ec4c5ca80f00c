import AsyncChannelsRunning
import AsyncChannelsTesting
import Observation
import XCTest

@MainActor
private final class SignUpForm: ViewModel, Observable {
  @Input var name: Inlet<String>
  @CurrentValue private(set) var isFree: Bool?

  private let clock: any Clock<Duration>
  private let check: @Sendable (String) async -> Bool

  init(
    clock: any Clock<Duration> = ContinuousClock(),
    check: @escaping @Sendable (String) async -> Bool
  ) {
    self.clock = clock
    self.check = check
  }

  func run() async {
    await _name.received.answer(
      .latestOnly, debounce: .milliseconds(500), clock: self.clock, by: check
    ) {
      self.isFree = $1
    }
  }
}

final class SignUpFormTests: XCTestCase {
  @MainActor
  func test_theNameIsCheckedWhenTypingPauses() async throws {
    try await withTestTime { time in
      let form = SignUpForm(clock: time.clock) { $0 != "ann" }
      let isFree = Probe(form.$isFree)
      await withRunning(form) {
        form.name.send("an")
        await time.advance(by: .milliseconds(400))
        form.name.send("ann")
        await time.advance(by: .milliseconds(499))
        XCTAssertEqual(isFree.values, [nil])
        await time.advance(by: .milliseconds(1))
        XCTAssertEqual(isFree.values, [nil, false])
      }
    }
  }

  @MainActor
  func test_anOlderCheckDoesNotCount() async throws {
    try await withTestTime { time in
      let form = SignUpForm(clock: time.clock) { name in
        // The check of the first name takes longer than that of the second.
        try? await time.clock.sleep(for: name == "ann" ? .seconds(10) : .seconds(1))
        return name != "ann"
      }
      let isFree = Probe(form.$isFree)
      await withRunning(form) {
        form.name.send("ann")
        await time.advance(by: .seconds(1))
        form.name.send("bob")
        await time.run()
        XCTAssertEqual(isFree.values, [nil, true])
      }
    }
  }
}
