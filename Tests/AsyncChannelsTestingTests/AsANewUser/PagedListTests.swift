import AsyncChannelsRunning
import AsyncChannelsTesting
import Observation
import XCTest

@MainActor
private final class PagedList: ViewModel, Observable {
  private enum Command: Sendable { case refresh, next }

  private let commands = Input<Command>()
  var refresh: Inlet<Void> { commands.inlet(.refresh) }
  var next: Inlet<Void> { commands.inlet(.next) }
  @CurrentValue private(set) var items: [Int] = []
  @CurrentValue private(set) var isLoading = false

  private let page: @Sendable (_ start: Int) async -> [Int]

  init(page: @escaping @Sendable (_ start: Int) async -> [Int]) { self.page = page }

  func run() async {
    await commands.received.answer(busy: _isLoading.inlet) { command in
      switch command {
      case .refresh: await self.page(0)
      case .next: await self.items + self.page(self.items.count)
      }
    } publish: {
      self.items = $1
    }
  }
}

final class PagedListTests: XCTestCase {
  @MainActor
  func test_pagesAreAppended() async throws {
    try await withTestTime { time in
      let list = PagedList { start in
        try? await time.clock.sleep(for: .seconds(1))
        return [start, start + 1]
      }
      let items = Probe(list.$items)
      let isLoading = Probe(list.$isLoading)
      await withRunning(list) {
        list.refresh.send()
        await time.idle()
        XCTAssertEqual(items.values, [[]])
        XCTAssertEqual(isLoading.values, [false, true])
        await time.advance(by: .seconds(1))
        list.next.send()
        await time.advance(by: .seconds(1))
        XCTAssertEqual(items.values, [[], [0, 1], [0, 1, 2, 3]])
        XCTAssertEqual(isLoading.values, [false, true, false, true, false])
      }
    }
  }

  @MainActor
  func test_pullToRefreshBeginsAnew() async throws {
    try await withTestTime(orders: .random(50, seed: 1)) { time in
      let list = PagedList { start in
        try? await time.clock.sleep(for: .seconds(1))
        return [start, start + 1]
      }
      let items = Probe(list.$items)
      try await withRunning(list) {
        list.refresh.send()
        list.next.send()
        // Pulled while the second page loads.
        await time.advance(by: .milliseconds(1_500))
        list.refresh.send()
        await time.run()
        for page in [[], [0, 1], [0, 1, 2, 3], [0, 1]] { try await items.expect(page) }
        try items.finish()
      }
    }
  }
}
