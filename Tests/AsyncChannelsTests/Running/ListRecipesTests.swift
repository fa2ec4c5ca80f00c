import AsyncChannelsRunning
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

  func test_aFirstLoadThatWasLeftIsBegunAgain() async throws {
    try await withTestTime { time in
      let viewModel = PostsViewModel { _ in
        try? await time.clock.sleep(for: .seconds(1))
        return ["new"]
      }
      await withRunning(viewModel) { await time.idle() }
      XCTAssertEqual(viewModel.posts, [])
      await withRunning(viewModel) { await time.run() }
      XCTAssertEqual(viewModel.posts, ["new"])
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
        XCTAssertEqual(stored.events, ["1 true", "2 true"], "No post waits for another.")
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

  func test_aHeartThatIsLeftWhileItIsSavedShowsWhatIsStored() async throws {
    try await withTestTime { time in
      let (stored, gate) = (Record<String>(), Gate())
      let viewModel = HeartsViewModel { tap in
        stored.add("\(tap.post) \(tap.isLiked)")
        await gate.pass()
        // The second is stored though its task was cancelled.
        return tap.post == 2
      }
      await withRunning(viewModel) {
        for post in 1...3 { viewModel.tap.send(.init(post: post, isLiked: true)) }
        await time.idle()
        XCTAssertEqual(viewModel.liked, [1, 2, 3])
        Task { gate.open() }
      }
      XCTAssertEqual(viewModel.liked, [2], "What is stored is shown.")
      await withRunning(viewModel) { await time.idle() }
      XCTAssertEqual(viewModel.liked, [2])
      XCTAssertEqual(stored.events, ["1 true", "2 true", "3 true"])
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
    if posts.isEmpty { refresh.send() }
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
  nonisolated struct Tap: Sendable {
    var post: Int, isLiked: Bool

    func change(_ posts: inout Set<Int>) {
      if isLiked { posts.insert(post) } else { posts.remove(post) }
    }
  }

  @Input var tap: Inlet<Tap>
  @Input private var save: Inlet<Tap>
  @CurrentValue private var stored: Set<Int>
  /// The taps that have no answer yet, by post.
  @CurrentValue private var taps: [Int: [Tap]] = [:]
  private let store: @Sendable (Tap) async -> Bool

  init(liked: Set<Int> = [], store: @escaping @Sendable (Tap) async -> Bool) {
    self.store = store
    stored = liked
  }

  /// The posts whose heart is filled.
  var liked: Set<Int> { taps.values.reduce(into: stored) { $1.last?.change(&$0) } }

  func run() async {
    let (store, stored) = (store, _stored.inlet { (posts, tap: Tap) in tap.change(&posts) })
    await together(
      {
        for await tap in self._tap.received {
          self.taps[tap.post, default: []].append(tap)
          self.save.send(tap)
        }
      },
      {
        await self._save.received.answer(.oneAtATime(by: \.post)) { tap in
          // Also if the screen is left meanwhile.
          if await store(tap) { stored.send(tap) }
        } abandoned: { tap in
          self.end(tap)
        } publish: { tap, _ in
          self.end(tap)
        }
      })
  }

  private func end(_ tap: Tap) { taps[tap.post]?.removeFirst() }
}
