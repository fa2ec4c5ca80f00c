import AsyncChannels
import AsyncChannelsTesting
import AsyncViewModels
import TestSupport
import XCTest

/// Row: published property without Combine.
@MainActor
final class ProfileViewModelTests: XCTestCase {
  func test_itLoadsTheUserThatIsWantedWhenItBeginsAndEachThatIsWantedLater() async throws {
    let viewModel: ProfileViewModel = ProfileViewModel(
      userID: 1, loader: HeldLoader(answering: 1..<4))
    let states = Probe(viewModel.state.map(\.text))
    try await withRunning(viewModel) {
      try await expect(["loading", "loading", "user 1"], in: states)
      viewModel.load.send(3)
      try await expect(["loading", "user 3"], in: states)
      try states.finish()
    }
  }

  func test_reloadingLoadsTheSameUserAgain() async throws {
    let loader = HeldLoader(answering: 1..<3)
    let viewModel = ProfileViewModel(userID: 2, loader: loader)
    let states = Probe(viewModel.state.map(\.text))
    try await withRunning(viewModel) {
      try await expect(["loading", "loading", "user 2"], in: states)
      viewModel.reload.send()
      try await expect(["loading", "user 2"], in: states)
    }
    let begun = try await loader.begun.next(2)
    XCTAssertEqual(begun, [2, 2])
  }

  func test_reloadingWithNobodyWantedDoesNothing() async throws {
    let loader = HeldLoader(answering: 1..<2)
    let viewModel = ProfileViewModel(loader: loader)
    let states = Probe(viewModel.state.map(\.text))
    try await withRunning(viewModel) {
      for _ in 0..<5 { viewModel.reload.send() }
      viewModel.load.send(1)
      try await expect(["loading", "loading", "user 1"], in: states)
      try states.finish()
    }
    try await loader.begun.expect(1)
    try loader.begun.finish()
  }

  func test_aFailureIsShownAndTheNextSuccessReplacesIt() async throws {
    let viewModel = ProfileViewModel(userID: 10, loader: HeldLoader(answering: 0..<12))
    let states = Probe(viewModel.state)
    try await withRunning(viewModel) {
      let failure = try await states.next(where: { $0.text == "failed" })
      guard case .failed(let error) = failure else { return XCTFail("\(failure)") }
      XCTAssertTrue(error is HeldLoader.Unknown)
      viewModel.load.send(1)
      let rest = try await states.next(2).map(\.text)
      XCTAssertEqual(rest, ["loading", "user 1"])
      viewModel.load.send(11)
      let again = try await states.next(2).map(\.text)
      XCTAssertEqual(again, ["loading", "failed"])
    }
  }

  func test_ofTwoLoadsAtOnceTheLaterCountsWhicheverAnswersLast() async throws {
    let loader = HeldLoader()
    let viewModel = ProfileViewModel(userID: 1, loader: loader)
    let states = Probe(viewModel.state.map(\.text))
    try await withRunning(viewModel) {
      try await loader.begun.expect(1)
      viewModel.load.send(2)
      try await loader.begun.expect(2)
      loader.answer(2)
      try await expect(["loading", "loading", "user 2"], in: states)
      loader.answer(1)
      _ = try await loader.returned.next(where: { $0 == 1 })
      loader.answer(3)
      viewModel.load.send(3)
      try await expect(["loading", "user 3"], in: states)
    }
  }

  func test_aRunThatIsCancelledShowsNothingMoreAndTheNextLoadsAgain() async throws {
    let loader = HeldLoader()
    let viewModel = ProfileViewModel(userID: 1, loader: loader)
    let states = Probe(viewModel.state.map(\.text))
    let run = Task { await viewModel.run() }
    try await loader.begun.expect(1)
    run.cancel()
    loader.answer(1)
    try await within { await run.value }
    try await expect(["loading", "loading"], in: states)
    try states.finish()
    try await withRunning(viewModel) {
      try await expect(["loading", "user 1"], in: states)
    }
  }

  func test_ofWhatIsWantedWhileNothingRunsTheLastIsLoaded() async throws {
    let loader = HeldLoader(answering: 1..<9)
    let viewModel = ProfileViewModel(userID: 1, loader: loader)
    for id in 2...8 { viewModel.load.send(id) }
    let states = Probe(viewModel.state.map(\.text))
    try await withRunning(viewModel) {
      try await expect(["loading", "loading", "user 8"], in: states)
      try states.finish()
    }
  }

  func test_anInletDoesNotKeepTheViewModelAliveAndSaysSo() async {
    var viewModel: ProfileViewModel? = ProfileViewModel(loader: HeldLoader())
    weak let weakly = viewModel
    let load = viewModel?.load
    let reload = viewModel?.reload
    viewModel = nil
    XCTAssertNil(weakly)
    XCTAssertEqual(load?.send(1), .finished(1))
    guard case .finished? = reload?.send() else { return XCTFail("it can still be reloaded") }
  }

  private func expect(_ texts: [String], in states: Probe<String>) async throws {
    for text in texts { try await states.expect(text) }
  }
}
