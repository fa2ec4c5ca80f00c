import AsyncChannels
import AsyncChannelsTesting
import AsyncViewModels
import Observation
import TestSupport
import XCTest

/// Row: published property without Combine. Row: observers render the new state, not the old.
@MainActor
final class ProfileObserversTests: XCTestCase {
  func test_anObserverIsToldTheCurrentStateFirstAndThenEachChange() async throws {
    let viewModel = ProfileViewModel(loader: HeldLoader(answering: 1..<3))
    let rendered = Channel<String>()
    let screen = Probe(rendered.outlet)
    let early = viewModel.state.observe { rendered.send("early: \($0.text)") }
    try await screen.expect("early: loading")
    try await withRunning(viewModel) {
      viewModel.load.send(1)
      try await screen.expect("early: loading")
      try await screen.expect("early: user 1")
      let late = viewModel.state.observe { rendered.send("late: \($0.text)") }
      try await screen.expect("late: user 1")
      viewModel.load.send(2)
      let both = try await screen.next(4)
      XCTAssertEqual(both.filter { $0.hasPrefix("early") }, ["early: loading", "early: user 2"])
      XCTAssertEqual(both.filter { $0.hasPrefix("late") }, ["late: loading", "late: user 2"])
      try screen.finish()
      late.cancel()
    }
    early.cancel()
  }

  /// The trap "a first frame without the state".
  func test_aControllersFirstFrameHasTheState() async throws {
    let viewModel = ProfileViewModel(loader: HeldLoader(answering: 1..<2))
    let states = Probe(viewModel.state)
    try await withRunning(viewModel) {
      viewModel.load.send(1)
      try await states.next(where: { $0.text == "user 1" })
      let controller = ProfileController(viewModel)
      XCTAssertEqual(controller.title, "")
      controller.viewDidLoad()
      XCTAssertEqual(controller.title, "user 1")
    }
  }

  /// The trap "old state rendered".
  func test_whoIsToldOfAStateReadsThatStateAndNeverThePrevious() async throws {
    let viewModel = ProfileViewModel(loader: HeldLoader(answering: 0..<12))
    let rendered = Channel<[String]>()
    let screen = Probe(rendered.outlet)
    let token = viewModel.state.observe { state in
      rendered.send([state.text, viewModel.state.value.text])
    }
    let observed = Record<String>()
    try await screen.expect(["loading", "loading"])
    try await withRunning(viewModel) {
      for id in [1, 10, 2, 11] {
        let text = id < 10 ? "user \(id)" : "failed"
        withObservationTracking {
          _ = viewModel.state.value
        } onChange: {
          MainActor.assumeIsolated { observed.add(viewModel.state.value.text) }
        }
        viewModel.load.send(id)
        // Told of loading when it has gone on already, it may read the newer state.
        let first = try await screen.next()
        XCTAssertTrue([["loading", "loading"], ["loading", text]].contains(first), "\(first)")
        try await screen.expect([text, text])
      }
    }
    XCTAssertEqual(observed.events, ["loading", "loading", "loading", "loading"])
    token.cancel()
  }

  func test_droppingTheTokenStopsTheObserver() async throws {
    let viewModel = ProfileViewModel(loader: HeldLoader(answering: 1..<3))
    let rendered = Channel<String>()
    let screen = Probe(rendered.outlet)
    var token: CancellationToken? = viewModel.state.observe { rendered.send($0.text) }
    try await screen.expect("loading")
    token = nil
    XCTAssertNil(token)
    let states = Probe(viewModel.state)
    try await withRunning(viewModel) {
      viewModel.load.send(1)
      try await states.next(where: { $0.text == "user 1" })
      // Whoever observes now is told; the one before was not.
      let next = viewModel.state.observe { rendered.send("next: \($0.text)") }
      try await screen.expect("next: user 1")
      try screen.finish()
      next.cancel()
    }
  }
}

/// As a view controller does it, in synchronous code.
@MainActor
private final class ProfileController {
  private let viewModel: ProfileViewModel
  private var token: CancellationToken?
  private(set) var title = ""

  init(_ viewModel: ProfileViewModel) {
    self.viewModel = viewModel
  }

  func viewDidLoad() {
    token = viewModel.state.observe { [weak self] state in self?.title = state.text }
  }
}
