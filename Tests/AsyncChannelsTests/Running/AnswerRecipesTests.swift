import AsyncChannelsRunning
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
      try await until("nothing is shown") { fraction.value == nil }
      gate.open()
      await giveWay(20)
      XCTAssertNil(viewModel.fraction)
      XCTAssertNil(viewModel.text)
      viewModel.download.send("b")
      try await until("b is there") { text.value == "b" }
      viewModel.download.send(nil)
      await giveWay(20)
      XCTAssertEqual(viewModel.text, "b")
      XCTAssertNil(viewModel.fraction)
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
    XCTAssertNil(viewModel.fraction)
    XCTAssertNil(viewModel.text)
  }

  func test_aConnectionIsMadeAgainAfterAPauseAndShowsNothingMeanwhile() async throws {
    try await withTestTime { time in
      let (attempts, streams) = (Record<Int>(), Record<AsyncStream<Int>.Continuation>())
      let viewModel = PriceViewModel(clock: time.clock) {
        attempts.add(attempts.count)
        if attempts.count == 2 { throw PriceViewModel.Lost() }
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        streams.add(continuation)
        return stream
      }
      await withRunning(viewModel) {
        await time.idle()
        streams.events[0].yield(5)
        await time.idle()
        XCTAssertEqual(viewModel.price, 5)
        streams.events[0].finish()
        await time.idle()
        XCTAssertNil(viewModel.price)
        // The second attempt fails at once: half a second and one, both with jitter.
        await time.advance(by: .milliseconds(1_500))
        XCTAssertEqual(attempts.count, 3)
        streams.events[1].yield(6)
        await time.idle()
        XCTAssertEqual(viewModel.price, 6)
      }
      XCTAssertNil(viewModel.price)
    }
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
        viewModel.name = "free"
        await time.advance(by: .milliseconds(200))
        viewModel.name = ""
        await time.idle()
        XCTAssertFalse(viewModel.isChecking, "An empty name is not checked.")
        await time.run()
        XCTAssertNil(viewModel.freeName)
      }
    }
  }
}

@MainActor
private final class DownloadViewModel: ViewModel {
  /// A name to load, or `nil` to cancel.
  @Input var download: Inlet<String?>
  /// Nil while nothing is loaded.
  @CurrentValue private(set) var fraction: Double?
  @CurrentValue private(set) var text: String?
  private let load: @Sendable (String, Inlet<Double>) async -> String

  init(load: @escaping @Sendable (String, Inlet<Double>) async -> String) {
    self.load = load
  }

  func run() async {
    let load = load
    await _download.received.answerWithProgress(.latestOnly) { name, progress -> String? in
      guard let name else { return nil }
      progress.send(0)
      return await load(name, progress)
    } progress: { _, fraction in
      self.fraction = fraction
    } abandoned: { _ in
      self.fraction = nil
    } publish: { name, text in
      self.fraction = nil
      if name != nil { self.text = text.get() }
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
    let isFree = isFree
    await $name.answer(
      .latestOnly, debounce: .by { $0.isEmpty ? .zero : .milliseconds(300) }, clock: self.clock,
      busy: _isChecking.inlet, busyFromArrival: true
    ) { name in
      if name.isEmpty { false } else { await isFree(name) }
    } publish: { name, isFree in
      self.freeName = isFree ? name : nil
    }
  }
}

@MainActor
private final class PriceViewModel: ViewModel {
  struct Lost: Error {}

  @CurrentValue private(set) var price: Int?
  private let clock: any Clock<Duration>
  private let connect: @Sendable () async throws -> AsyncStream<Int>

  init(clock: any Clock<Duration>, connect: @escaping @Sendable () async throws -> AsyncStream<Int>)
  {
    (self.clock, self.connect) = (clock, connect)
  }

  func run() async {
    await Outlet.just(connect).answerWithProgress(
      clock: self.clock,
      retry: .exponential(from: .milliseconds(500), upTo: .seconds(30), jitter: 0.5)
    ) { (connect, prices: Inlet<Int?>) -> Void in
      defer { prices.send(nil) }
      for await price in try await connect() { prices.send(price) }
      throw Lost()
    } progress: { _, price in
      self.price = price
    } abandoned: { _ in
      self.price = nil
    } publish: { _, _ in
    }
  }
}
