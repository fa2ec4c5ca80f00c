import AsyncChannelsRunning
import AsyncChannelsTesting
import AsyncViewModels
import TestSupport
import XCTest

/// Row: published property without Combine.
@MainActor
final class ProfileViewModelTests: XCTestCase {
  func test_itLoadsTheUserThatIsWantedWhenItBeginsAndEachThatIsWantedLater() async throws {
    try await showing(1) { time, viewModel, states, _ in
      await withRunning(viewModel) {
        await time.idle()
        XCTAssertEqual(states.values, ["loading", "loading"])
        await time.advance(by: .seconds(1))
        XCTAssertEqual(states.values, ["loading", "loading", "user 1"])
        viewModel.load.send(3)
        await time.run()
      }
      XCTAssertEqual(states.values, ["loading", "loading", "user 1", "loading", "user 3"])
    }
  }

  func test_reloadingLoadsTheSameUserAgain() async throws {
    try await showing(2) { time, viewModel, states, loader in
      await withRunning(viewModel) {
        await time.run()
        viewModel.reload.send()
        await time.run()
      }
      XCTAssertEqual(states.values, ["loading", "loading", "user 2", "loading", "user 2"])
      XCTAssertEqual(loader.begun.events, [2, 2])
    }
  }

  func test_reloadingWithNobodyWantedDoesNothing() async throws {
    try await showing(nil) { time, viewModel, states, loader in
      await withRunning(viewModel) {
        for _ in 0..<5 { viewModel.reload.send() }
        await time.run()
        XCTAssertEqual(states.values, ["loading"])
        viewModel.load.send(1)
        await time.run()
      }
      XCTAssertEqual(states.values, ["loading", "loading", "user 1"])
      XCTAssertEqual(loader.begun.events, [1])
    }
  }

  func test_aFailureIsShownAndTheNextSuccessReplacesIt() async throws {
    try await showing(10) { time, viewModel, states, _ in
      await withRunning(viewModel) {
        await time.run()
        guard case .failed(let error) = viewModel.state.value else { return XCTFail("no failure") }
        XCTAssertTrue(error is SlowLoader.Unknown)
        for id in [1, 11] {
          viewModel.load.send(id)
          await time.run()
        }
      }
      XCTAssertEqual(
        states.values, ["loading", "loading", "failed", "loading", "user 1", "loading", "failed"])
    }
  }

  func test_ofTwoLoadsAtOnceTheLaterCountsWhicheverAnswersLast() async throws {
    for (first, second) in [(2, 1), (1, 2)] {
      try await showing(first) { time, viewModel, states, loader in
        await withRunning(viewModel) {
          await time.idle()
          viewModel.load.send(second)
          await time.run()
        }
        XCTAssertEqual(loader.begun.events, [first, second])
        XCTAssertEqual(states.values, ["loading", "loading", "user \(second)"])
        XCTAssertEqual(time.clock.now.sinceBeginning, .seconds(2), "Both have answered.")
      }
    }
  }

  func test_aRunThatIsCancelledShowsNothingMoreAndTheNextLoadsAgain() async throws {
    try await showing(1) { time, viewModel, states, _ in
      let run = Task { await viewModel.run() }
      await time.idle()
      run.cancel()
      await time.run()
      await run.value
      XCTAssertEqual(states.values, ["loading", "loading"])
      await withRunning(viewModel) { await time.run() }
      XCTAssertEqual(states.values, ["loading", "loading", "loading", "user 1"])
    }
  }

  func test_ofWhatIsWantedWhileNothingRunsTheLastIsLoaded() async throws {
    try await showing(1) { time, viewModel, states, loader in
      for id in 2...8 { viewModel.load.send(id) }
      await withRunning(viewModel) { await time.run() }
      XCTAssertEqual(states.values, ["loading", "loading", "user 8"])
      XCTAssertEqual(loader.begun.events, [8])
    }
  }

  func test_anInletDoesNotKeepTheViewModelAliveAndSaysSo() async {
    var viewModel: ProfileViewModel? = ProfileViewModel(loader: SlowLoader(TestClock()))
    weak let weakly = viewModel
    let load = viewModel?.load
    let reload = viewModel?.reload
    viewModel = nil
    XCTAssertNil(weakly)
    XCTAssertEqual(load?.send(1), .finished(1))
    guard case .finished? = reload?.send() else { return XCTFail("it can still be reloaded") }
  }

  /// A view model in test time, what it shows, and its loader.
  private func showing(
    _ userID: User.ID?,
    _ test:
      @escaping @MainActor (
        TestTime, ProfileViewModel, _ states: Probe<String>, SlowLoader
      ) async throws -> Void
  ) async throws {
    try await withTestTime { time in
      let loader = SlowLoader(time.clock)
      let viewModel = ProfileViewModel(userID: userID, loader: loader)
      try await test(time, viewModel, Probe(viewModel.state.map(\.text)), loader)
    }
  }
}
