import AsyncChannels
import AsyncChannelsTesting
import TestSupport
import XCTest

/// The recipes of the guide for lists, word for word.
@MainActor
final class ListRecipesTests: XCTestCase {
  func test_aRefreshReplacesAPageAndARequestForMoreIsDroppedMeanwhile() async throws {
    try await withTestTime { time in
      let (asked, gates) = (Record<String>(), [Gate(), Gate(), Gate(), Gate()])
      let viewModel = PostsViewModel { load in
        let number = asked.count
        asked.add("\(load)")
        await gates[number].pass()
        return ["\(number)"]
      }
      await withRunning(viewModel) {
        viewModel.refresh.send()
        await time.idle()
        XCTAssertTrue(viewModel.isLoading)
        viewModel.loadMore.send()
        await time.idle()
        XCTAssertEqual(asked.events, ["refresh"])
        gates[0].open()
        await time.idle()
        XCTAssertEqual(viewModel.posts, ["0"])
        viewModel.loadMore.send()
        await time.idle()
        viewModel.refresh.send()
        await time.idle()
        XCTAssertEqual(asked.events, ["refresh", "more(after: 1)", "refresh"])
        gates[1].open()
        gates[2].open()
        await time.idle()
        XCTAssertEqual(viewModel.posts, ["2"], "The page that was superseded does not come.")
        viewModel.loadMore.send()
        gates[3].open()
        await time.idle()
        XCTAssertEqual(viewModel.posts, ["2", "3"])
        XCTAssertFalse(viewModel.isLoading)
      }
    }
  }

  func test_aRefreshIsNotLostToARequestForMoreInTheSameTurn() async throws {
    try await withTestTime(orders: .random(50, seed: 1)) { time in
      let viewModel = PostsViewModel { load in
        try? await time.clock.sleep(for: .seconds(1))
        return if case .refresh = load { ["new"] } else { ["more"] }
      }
      try await withRunning(viewModel) {
        viewModel.refresh.send()
        viewModel.loadMore.send()
        await time.run()
        if viewModel.posts != ["new"] { throw Wrong(posts: viewModel.posts) }
        // What `.refreshable` waits for.
        let reload = Task { await viewModel.reload() }
        await time.advance(by: .milliseconds(999))
        if !viewModel.isLoading { throw Wrong(posts: viewModel.posts) }
        await time.advance(by: .milliseconds(1))
        await reload.value
      }
    }
  }

  private struct Wrong: Error {
    let posts: [String]
  }

  func test_aHeartIsFilledAtOnceAndEmptiedIfTheServerRefuses() async throws {
    try await withTestTime { time in
      let (stored, gate) = (Record<String>(), Gate())
      let viewModel = HeartsViewModel { tap in
        stored.add("\(tap.post) \(tap.isLiked)")
        await gate.pass()
        return tap.post != 2
      }
      await withRunning(viewModel) {
        viewModel.tap.send(.init(post: 1, isLiked: true))
        viewModel.tap.send(.init(post: 2, isLiked: true))
        await time.idle()
        XCTAssertEqual(viewModel.liked, [1, 2])
        XCTAssertEqual(stored.events, ["1 true"], "One after the other.")
        gate.open()
        await time.idle()
        XCTAssertEqual(viewModel.liked, [1])
        for isLiked in [true, false, true] {
          viewModel.tap.send(.init(post: 2, isLiked: isLiked))
        }
        viewModel.tap.send(.init(post: 1, isLiked: false))
        await time.idle()
        XCTAssertEqual(viewModel.liked, [])
        XCTAssertEqual(stored.count, 6)
      }
    }
  }

  func test_aHeartThatIsLeftWhileItIsSavedIsEmptied() async throws {
    try await withTestTime { time in
      let (stored, gate) = (Record<String>(), Gate())
      let viewModel = HeartsViewModel { tap in
        stored.add("\(tap.post)\(Task.isCancelled ? " cancelled" : "")")
        await gate.pass()
        return !Task.isCancelled
      }
      await withRunning(viewModel) {
        for post in 1...2 { viewModel.tap.send(.init(post: post, isLiked: true)) }
        await time.idle()
        XCTAssertEqual(viewModel.liked, [1, 2])
        Task { gate.open() }
      }
      XCTAssertEqual(viewModel.liked, [2], "The next run saves it.")
      await withRunning(viewModel) { await time.idle() }
      XCTAssertEqual(viewModel.liked, [2])
      XCTAssertEqual(stored.events, ["1", "2"])
    }
  }
}

@MainActor
private final class PostsViewModel: ViewModel {
  enum Load: Sendable {
    case refresh, more(after: Int)

    nonisolated var overlap: Overlap { if case .refresh = self { .latestOnly } else { .firstOnly } }
  }

  @Input private var load: Inlet<Load>
  @CurrentValue private(set) var isLoading = false
  @CurrentValue private(set) var posts: [String] = []
  private let page: @Sendable (Load) async -> [String]

  init(page: @escaping @Sendable (Load) async -> [String]) {
    self.page = page
  }

  var refresh: Inlet<Void> { load.contramap { .refresh } }

  var loadMore: Inlet<Void> {
    load.contramap { [posts = $posts] in .more(after: posts.value.count) }
  }

  /// For SwiftUI's `.refreshable`: returns when nothing is loaded any more.
  func reload() async {
    isLoading = true
    refresh.send()
    for await isLoading in $isLoading where !isLoading { return }
  }

  func run() async {
    await _load.received.answer(.each(\.overlap), busy: _isLoading.inlet, by: page) {
      load, page in
      switch load {
      case .refresh: self.posts = page
      case .more(let count): if count == self.posts.count { self.posts += page }
      }
    }
  }
}

@MainActor
private final class HeartsViewModel: ViewModel {
  struct Tap: Sendable { var post: Int, isLiked: Bool }

  @Input var tap: Inlet<Tap>
  @Input private var save: Inlet<(tap: Tap, number: Int)>
  @CurrentValue private(set) var liked: Set<Int> = []
  private var newest: [Int: Int] = [:]
  private let store: @Sendable (Tap) async -> Bool

  init(store: @escaping @Sendable (Tap) async -> Bool) {
    self.store = store
  }

  func run() async {
    let store = store
    await together(
      {
        for await tap in self._tap.received {
          let number = self.newest[tap.post, default: 0] + 1
          self.newest[tap.post] = number
          self.show(tap)
          self.save.send((tap, number))
        }
      },
      {
        await self._save.received.answer {
          await store($0.tap)
        } abandoned: { save in
          self.takeBack(save)
        } publish: { save, isStored in
          if !isStored { self.takeBack(save) }
        }
      })
  }

  private func takeBack(_ save: (tap: Tap, number: Int)) {
    // A newer tap of the same post shows what it wants.
    guard newest[save.tap.post] == save.number else { return }
    show(Tap(post: save.tap.post, isLiked: !save.tap.isLiked))
  }

  private func show(_ tap: Tap) {
    if tap.isLiked { liked.insert(tap.post) } else { liked.remove(tap.post) }
  }
}
