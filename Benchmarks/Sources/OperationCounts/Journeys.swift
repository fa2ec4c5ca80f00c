import AsyncChannelsRunning
import Journeys

extension Operation {
  /// The way of a view model, from its input to its output.
  static let journeys =
    Overlap.allCases.flatMap { overlap in
      journey("answer-\(overlap)", byHand: { try await answerByHand($0, overlap) }) {
        try await answer($0, overlap)
      }
    }
    + [Overlap.oneAtATime, .latestOnly].flatMap { overlap in
      journey("sign-in-\(overlap)", byHand: { try await signInByHand($0, overlap) }) {
        try await signIn($0, overlap)
      }
    }
    + [1, 100].flatMap { viewModels in
      journey(
        "add-member-\(viewModels)", times: viewModels == 1 ? 256 : 16,
        byHand: { try await addMembersByHand($0, viewModels: viewModels) }
      ) {
        try await addMembers($0, viewModels: viewModels)
      }
    }
    + [Overlap.oneAtATime, .latestOnly].map { overlap in
      // The longer run has nearly 100,000.
      Operation("answer-queued-\(overlap)", times: 32_768, isConcurrent: true) { times in
        (try? await answerQueued(times, overlap)) != nil
      }
    }
    + [
      Operation("append-a-row", times: 3_333, isConcurrent: true) { times in
        (try? await appendRows(times)) != nil
      },
      // Counts the changes alone: beginning 10,000 rows costs more than all of them, and not always the same.
      Operation("one-text-among-10000-rows", times: 1_024, isConcurrent: true) { times in
        (try? await changeTexts(times)) != nil
      },
    ]

  private static func journey(
    _ name: String, times: Int = 256, byHand: @escaping @Sendable (Int) async throws -> Double,
    ours: @escaping @Sendable (Int) async throws -> Double
  ) -> [Operation] {
    [(name, ours), ("\(name)-by-hand", byHand)].map { name, measure in
      Operation(name, times: times, isConcurrent: true) { times in
        (try? await measure(times)) != nil
      }
    }
  }
}
