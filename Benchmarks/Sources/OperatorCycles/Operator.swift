import AsyncAlgorithms
import AsyncChannels

/// Gets the elements that an operator delivers in one step.
typealias Body = nonisolated(nonsending) @Sendable ([Int]) async -> Void

/// A loop as it stands in a `run()`, behind an operator that reads one input or two.
struct Operator: Sendable {
  let name: String
  let habits: Habits
  let readsTwo: Bool
  let run: nonisolated(nonsending) @Sendable (Tapped, Tapped, Body) async -> Void

  private init(
    _ name: String, _ habits: Habits = [], readsTwo: Bool = false,
    run: nonisolated(nonsending) @escaping @Sendable (Tapped, Tapped, Body) async -> Void
  ) {
    self.name = name
    self.habits = habits
    self.readsTwo = readsTwo
    self.run = run
  }

  /// Short, so that a cycle is: what counts is how often, not how long.
  private static let interval = Duration.microseconds(100)

  /// No operator at all: what this package makes a promise about.
  static let plain = Operator("plain for await") { input, _, body in
    for await element in input { await body([element]) }
  }

  static let all: [Operator] = [
    plain,
    Operator("debounce", .discards) { input, _, body in
      for await element in input.debounce(for: interval) { await body([element]) }
    },
    Operator("throttle", .discards) { input, _, body in
      for await element in input._throttle(for: interval) { await body([element]) }
    },
    Operator("merge", readsTwo: true) { one, two, body in
      for await element in merge(one, two) { await body([element]) }
    },
    Operator("zip", readsTwo: true) { one, two, body in
      for await (first, second) in zip(one, two) { await body([first, second]) }
    },
    Operator("combineLatest", [.discards, .repeats], readsTwo: true) { one, two, body in
      for await (first, second) in combineLatest(one, two) { await body([first, second]) }
    },
    Operator("chunks(ofCount: 2)") { input, _, body in
      for await chunk in input.chunks(ofCount: 2) { await body(chunk) }
    },
    Operator("chunked(by: timer)") { input, _, body in
      let timer = AsyncTimerSequence(interval: interval, clock: .continuous)
      for await chunk in input.chunked(by: timer) { await body(chunk) }
    },
    Operator("share") { input, _, body in
      for await element in input.share() { await body([element]) }
    },
  ]
}
