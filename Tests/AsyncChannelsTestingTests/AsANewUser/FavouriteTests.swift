import AsyncChannelsRunning
import AsyncChannelsTesting
import Observation
import XCTest

/// Shows at once what was tapped, tells the server when the tapping pauses, and goes back if that refuses.
@MainActor
private final class Favourite: ViewModel, Observable {
  @Input var toggle: Inlet<Void>
  @CurrentValue private(set) var isOn = false

  private let changes = Input<Bool>()
  private var known = false
  private let clock: any Clock<Duration>
  private let store: @Sendable (Bool) async -> Bool

  init(
    clock: any Clock<Duration> = ContinuousClock(), store: @escaping @Sendable (Bool) async -> Bool
  ) {
    self.clock = clock
    self.store = store
  }

  func run() async {
    async let storing: Void = storeChanges()
    for await _ in _toggle.received {
      isOn.toggle()
      changes.inlet.send(isOn)
    }
    await storing
  }

  private func storeChanges() async {
    let store = store
    await changes.received.answer(
      .latestOnly, debounce: .seconds(1), clock: self.clock,
      by: { (isOn: $0, isStored: await store($0)) }
    ) { _, answer in
      if answer.isStored { self.known = answer.isOn } else { self.isOn = self.known }
    }
  }
}

final class FavouriteTests: XCTestCase {
  @MainActor
  func test_severalTapsAreStoredOnce() async throws {
    try await withTestTime { time in
      let stored = Channel<Bool>()
      let favourite = Favourite(clock: time.clock) { isOn in
        stored.send(isOn)
        return true
      }
      let isOn = Probe(favourite.$isOn)
      let stores = Probe(stored.outlet)
      await withRunning(favourite) {
        for _ in 0..<3 { favourite.toggle.send() }
        await time.idle()
        XCTAssertEqual(isOn.values, [false, true, false, true])
        XCTAssertEqual(stores.values, [])
        await time.run()
        XCTAssertEqual(stores.values, [true])
        XCTAssertEqual(isOn.values.count, 4)
      }
    }
  }

  @MainActor
  func test_itGoesBackWhenTheServerRefuses() async throws {
    try await withTestTime { time in
      let favourite = Favourite(clock: time.clock) { _ in
        try? await time.clock.sleep(for: .seconds(5))
        return false
      }
      let isOn = Probe(favourite.$isOn)
      await withRunning(favourite) {
        favourite.toggle.send()
        await time.advance(by: .milliseconds(5_999))
        XCTAssertEqual(isOn.values, [false, true])
        await time.advance(by: .milliseconds(1))
        XCTAssertEqual(isOn.values, [false, true, false])
      }
    }
  }
}
