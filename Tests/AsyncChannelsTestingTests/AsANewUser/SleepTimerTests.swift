import AsyncChannelsRunning
import AsyncChannelsTesting
import Observation
import XCTest

@MainActor
private final class Player: ViewModel, Observable {
  @Input var sleepAfter: Inlet<Duration>
  @CurrentValue private(set) var isPlaying = true
  @CurrentValue private(set) var position = 0

  private let clock: any Clock<Duration>

  init(clock: any Clock<Duration> = ContinuousClock()) { self.clock = clock }

  func run() async {
    async let playing: Void = play()
    let clock = clock
    await _sleepAfter.received.answer(
      .latestOnly, by: { try? await clock.sleep(for: $0) },
      publish: { _, _ in self.isPlaying = false }
    )
    await playing
  }

  private func play() async {
    while isPlaying, (try? await clock.sleep(for: .seconds(1))) != nil {
      if isPlaying { position += 1 }
    }
  }
}

final class SleepTimerTests: XCTestCase {
  @MainActor
  func test_theTimerStopsThePlayer() async throws {
    try await withTestTime { time in
      let player = Player(clock: time.clock)
      let isPlaying = Probe(player.$isPlaying)
      await withRunning(player) {
        player.sleepAfter.send(.seconds(10))
        await time.advance(by: .seconds(9))
        XCTAssertEqual(player.position, 9)
        XCTAssertEqual(isPlaying.values, [true])
        await time.run()
        XCTAssertEqual(isPlaying.values, [true, false])
      }
    }
  }

  @MainActor
  func test_aNewTimerReplacesTheOneBefore() async throws {
    try await withTestTime { time in
      let player = Player(clock: time.clock)
      let isPlaying = Probe(player.$isPlaying)
      await withRunning(player) {
        player.sleepAfter.send(.seconds(600))
        await time.advance(by: .seconds(599))
        player.sleepAfter.send(.seconds(600))
        await time.advance(by: .seconds(599))
        XCTAssertEqual(isPlaying.values, [true])
        await time.advance(by: .seconds(1))
        XCTAssertEqual(isPlaying.values, [true, false])
      }
    }
  }
}
