import AsyncChannels
import AsyncChannelsTesting
import Observation
import TestSupport
import XCTest

/// The recipes of the guide, word for word.
@MainActor
final class AnswerRecipesTests: XCTestCase {
  func test_aDownloadShowsItsProgressAndNoneOfOneThatWasCancelled() async throws {
    let (gate, begun) = (Gate(), Channel<String>())
    let started = Probe(begun.outlet)
    let viewModel = DownloadViewModel { name, progress in
      progress.send(0.5)
      begun.send(name)
      await gate.pass()
      progress.send(0.9)
      return name
    }
    let (fraction, text) = (viewModel.$fraction, viewModel.$text)
    try await withRunning(viewModel) {
      viewModel.download.send("a")
      try await started.expect("a")
      try await until("half is shown") { fraction.value == 0.5 }
      viewModel.download.send(nil)
      try await until("nothing is shown") { fraction.value == 0 }
      gate.open()
      await giveWay(20)
      XCTAssertEqual(viewModel.fraction, 0)
      XCTAssertNil(viewModel.text)
      viewModel.download.send("b")
      try await until("b is there") { text.value == "b" }
      XCTAssertEqual(viewModel.fraction, 1)
    }
  }

  func test_aDownloadThatIsLeftHalfwayShowsNothing() async throws {
    let viewModel = DownloadViewModel { name, progress in
      progress.send(0.5)
      for await _ in Outlet<Void>.never {}
      return name
    }
    try await withRunning(viewModel) {
      viewModel.download.send("a")
      let fraction = viewModel.$fraction
      try await until("half is shown") { fraction.value == 0.5 }
    }
    XCTAssertEqual(viewModel.fraction, 0)
    XCTAssertNil(viewModel.text)
  }

  func test_aNameThatIsNotCheckedCannotBeSubmitted() async throws {
    try await withTestTime { time in
      let viewModel = FormViewModel(clock: time.clock) { $0 == "free" }
      await withRunning(viewModel) {
        viewModel.name = "free"
        XCTAssertFalse(viewModel.canSubmit)
        await time.advance(by: .milliseconds(299))
        XCTAssertTrue(viewModel.isChecking)
        XCTAssertFalse(viewModel.canSubmit)
        await time.advance(by: .milliseconds(1))
        XCTAssertTrue(viewModel.canSubmit)
        XCTAssertFalse(viewModel.isChecking)
        viewModel.name = "taken"
        // Immediately, before `run()` has received it.
        XCTAssertFalse(viewModel.canSubmit)
        await time.run()
        XCTAssertFalse(viewModel.canSubmit)
      }
    }
  }
}

@MainActor
private final class DownloadViewModel: ViewModel {
  /// A name to load, or `nil` to cancel.
  @Input var download: Inlet<String?>
  @CurrentValue private(set) var fraction = 0.0
  @CurrentValue private(set) var text: String?
  private let load: @Sendable (String, Inlet<Double>) async -> String

  init(load: @escaping @Sendable (String, Inlet<Double>) async -> String) {
    self.load = load
  }

  func run() async {
    let load = load
    await _download.received.answerWithProgress(.latestOnly) { name, progress -> String? in
      guard let name else { return nil }
      return await load(name, progress)
    } progress: { _, fraction in
      self.fraction = fraction
    } abandoned: { _ in
      self.fraction = 0
    } publish: { _, text in
      (self.fraction, self.text) = (text.get() == nil ? 0 : 1, text.get())
    }
  }
}

@MainActor
private final class FormViewModel: ViewModel, Observable {
  @CurrentValue var name = ""
  @CurrentValue private(set) var isChecking = false
  @CurrentValue private(set) var freeName: String?
  private let clock: any Clock<Duration>
  private let isFree: @Sendable (String) async -> Bool

  init(
    clock: any Clock<Duration> = ContinuousClock(),
    isFree: @escaping @Sendable (String) async -> Bool
  ) {
    self.clock = clock
    self.isFree = isFree
  }

  var canSubmit: Bool { freeName == name }

  func run() async {
    await $name.filter { !$0.isEmpty }.answer(
      .latestOnly, debounce: .milliseconds(300), clock: self.clock, busy: _isChecking.inlet,
      busyFromArrival: true, by: isFree
    ) { name, isFree in
      self.freeName = isFree ? name : nil
    }
  }
}
