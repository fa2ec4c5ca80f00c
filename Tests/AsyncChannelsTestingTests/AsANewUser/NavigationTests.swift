import AsyncChannelsRunning
import AsyncChannelsTesting
import XCTest

private enum Screen: Equatable, Sendable {
  case welcome
  case order(number: Int)
}

/// Where to go may be decided before a view listens, and while one view replaces another.
@MainActor
private final class NavigationViewModel: ViewModel {
  @Input var open: Inlet<Screen>
  let shown: Subscription<Screen>
  private let screens = Channel<Screen>()

  init() {
    shown = screens.outlet.subscribe()
  }

  func run() async {
    for await screen in _open.received { screens.send(screen) }
  }
}

@MainActor
private final class NavigationView {
  private(set) var path: [Screen] = []

  func task(_ viewModel: NavigationViewModel) async {
    for await screen in viewModel.shown { path.append(screen) }
  }
}

final class NavigationTests: XCTestCase {
  @MainActor
  func test_eachScreenIsShownOnceByTheViewThatIsThere() async throws {
    try await withTestTime { time in
      let viewModel = NavigationViewModel()
      let (old, new) = (NavigationView(), NavigationView())
      await withRunning(viewModel) {
        viewModel.open.send(.welcome)
        await time.idle()
        let oldTask = Task { await old.task(viewModel) }
        await time.idle()
        XCTAssertEqual(old.path, [.welcome])
        oldTask.cancel()
        // Nobody listens between the two views.
        viewModel.open.send(.order(number: 1))
        await time.idle()
        let newTask = Task { await new.task(viewModel) }
        viewModel.open.send(.order(number: 2))
        await time.idle()
        XCTAssertEqual(old.path, [.welcome])
        XCTAssertEqual(new.path, [.order(number: 1), .order(number: 2)])
        newTask.cancel()
      }
    }
  }
}
