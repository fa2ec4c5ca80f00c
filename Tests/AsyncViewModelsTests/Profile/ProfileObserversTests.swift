import AsyncChannelsRunning
import AsyncChannelsTesting
import AsyncViewModels
import Observation
import TestSupport
import XCTest

/// Row: published property without Combine. Row: observers render the new state, not the old.
@MainActor
final class ProfileObserversTests: XCTestCase {
  func test_anObserverIsToldTheCurrentStateFirstAndThenEachChange() async throws {
    try await withTestTime { time in
      let viewModel = ProfileViewModel(loader: SlowLoader(time.clock))
      let (early, late) = (Record<String>(), Record<String>())
      let token = viewModel.state.observe { early.add($0.text) }
      XCTAssertEqual(early.take(), ["loading"])
      await withRunning(viewModel) {
        viewModel.load.send(1)
        await time.run()
        XCTAssertEqual(early.take(), ["loading", "user 1"])
        let other = viewModel.state.observe { late.add($0.text) }
        XCTAssertEqual(late.take(), ["user 1"])
        viewModel.load.send(2)
        await time.run()
        XCTAssertEqual(early.take(), ["loading", "user 2"])
        XCTAssertEqual(late.take(), ["loading", "user 2"])
        other.cancel()
      }
      token.cancel()
    }
  }

  /// The trap "a first frame without the state".
  func test_aControllersFirstFrameHasTheState() async throws {
    try await withTestTime { time in
      let viewModel = ProfileViewModel(loader: SlowLoader(time.clock))
      await withRunning(viewModel) {
        viewModel.load.send(1)
        await time.run()
        let controller = ProfileController(viewModel)
        XCTAssertEqual(controller.title, "")
        controller.viewDidLoad()
        XCTAssertEqual(controller.title, "user 1")
      }
    }
  }

  /// The trap "old state rendered".
  func test_whoIsToldOfAStateReadsThatStateAndNeverThePrevious() async throws {
    try await withTestTime { time in
      let viewModel = ProfileViewModel(loader: SlowLoader(time.clock))
      let (rendered, observed) = (Record<[String]>(), Record<String>())
      let token = viewModel.state.observe { state in
        rendered.add([state.text, viewModel.state.value.text])
      }
      XCTAssertEqual(rendered.take(), [["loading", "loading"]])
      await withRunning(viewModel) {
        for id in [1, 10, 2, 11] {
          withObservationTracking {
            _ = viewModel.state.value
          } onChange: {
            MainActor.assumeIsolated { observed.add(viewModel.state.value.text) }
          }
          viewModel.load.send(id)
          await time.idle()
          XCTAssertEqual(rendered.take(), [["loading", "loading"]])
          await time.run()
          let text = id < 10 ? "user \(id)" : "failed"
          XCTAssertEqual(rendered.take(), [[text, text]])
        }
      }
      XCTAssertEqual(observed.events, ["loading", "loading", "loading", "loading"])
      token.cancel()
    }
  }

  func test_droppingTheTokenStopsTheObserver() async throws {
    try await withTestTime { time in
      let viewModel = ProfileViewModel(loader: SlowLoader(time.clock))
      let rendered = Record<String>()
      var token: CancellationToken? = viewModel.state.observe { rendered.add($0.text) }
      XCTAssertEqual(rendered.take(), ["loading"])
      token = nil
      XCTAssertNil(token)
      await withRunning(viewModel) {
        viewModel.load.send(1)
        await time.run()
      }
      XCTAssertEqual(viewModel.state.value.text, "user 1")
      XCTAssertEqual(rendered.take(), [])
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
