import AsyncChannelsRunning
import AsyncChannelsTesting
import Observation
import XCTest

@MainActor
private final class Player: ViewModel, Observable {
  /// Play, or pause.
  @Input var play: Inlet<Bool>
  /// Pauses after this time; `nil` removes the timer.
  @Input var sleepAfter: Inlet<Duration?>
  @CurrentValue private(set) var isPlaying = false
  /// In seconds.
  @CurrentValue private(set) var position = 0
  private let clock: any Clock<Duration>

  init(clock: any Clock<Duration> = ContinuousClock()) { self.clock = clock }

  func run() async {
    await together(
      { for await isPlaying in self._play.received { self.isPlaying = isPlaying } },
      { await self.countSeconds() },
      { await self.followTimer() })
  }

  private func countSeconds() async {
    await $isPlaying.removeDuplicates().answerWithProgress(.latestOnly) { isPlaying, seconds in
      while isPlaying, (try? await self.clock.sleep(for: .seconds(1))) != nil { seconds.send(1) }
    } progress: { _, seconds in
      self.position += seconds
    } publish: { _, _ in
    }
  }

  private func followTimer() async {
    await _sleepAfter.received.answer(.latestOnly) { duration in
      guard let duration else { return false }
      return (try? await self.clock.sleep(for: duration)) != nil
    } publish: { _, isOver in
      if isOver { self.isPlaying = false }
    }
  }
}

final class PlayerTests: XCTestCase {
  @MainActor
  func test_theTimerPausesThePlayer() async throws {
    try await withTestTime { time in
      let player = Player(clock: time.clock)
      await withRunning(player) {
        player.play.send(true)
        await time.advance(by: .milliseconds(3_500))
        player.play.send(false)
        await time.advance(by: .seconds(60))
        XCTAssertEqual(player.position, 3)
        player.play.send(true)
        player.sleepAfter.send(.milliseconds(2_500))
        await time.run()
        XCTAssertFalse(player.isPlaying)
        XCTAssertEqual(player.position, 5)
      }
    }
  }
}
