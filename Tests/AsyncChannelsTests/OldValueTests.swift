import AsyncChannels
import XCTest

/// What an old value does as it goes (C39).
final class OldValueTests: XCTestCase {
  func test_C39_anOldValueMaySetItsStateAsItIsReplaced() {
    let census = Census()
    let state = CurrentValue<Tracked?>(nil)
    state.value = Tracked(1, in: census) { [weak state] in state?.value = nil }
    state.value = Tracked(2, in: census)
    XCTAssertNil(state.value)
    XCTAssertEqual(census.count, 0)
  }

  func test_C39_anOldValueMayReadItsStateAsAnUpdateReplacesIt() {
    let census = Census()
    let state = CurrentValue<Tracked?>(nil)
    state.value = Tracked(1, in: census) { [weak state] in XCTAssertEqual(state?.value?.number, 2) }
    state.update { $0 = Tracked(2, in: census) }
    XCTAssertEqual(census.count, 1)
  }
}
