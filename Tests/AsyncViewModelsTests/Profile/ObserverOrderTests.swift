import AsyncChannels
import XCTest

@MainActor
final class ObserverOrderTests: XCTestCase {
  func test_observersAreToldOfEachChangeInTheOrderInWhichTheyWereAdded() async throws {
    for count in [100, 5_000] {
      let state = CurrentValue("0")
      let log = TellingLog()
      let tokens = observe(state, count, log)
      for change in 1...20 {
        try await log.expect(Array(0..<count), state.value)
        state.value = "\(change)"
      }
      withExtendedLifetime(tokens) {}
    }
  }
}
