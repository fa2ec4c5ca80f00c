import AsyncChannelsRunning
import Journeys

extension Workload {
  /// `answer` in each overlap beside the loop that a user would write by hand: an input, work away
  /// from the main actor, and what is published there.
  static func answering(_ scale: Scale) -> Workload {
    let count = scale.count(20_000)
    return Workload(
      name: "answer", unit: "input",
      cases: Overlap.allCases.map { overlap in
        Case(
          subscribers: 1, element: "\(overlap)",
          subjects: [
            Subject(name: "answer") { try await answer(count, overlap) },
            Subject(name: "by hand") { try await answerByHand(count, overlap) },
          ], reference: "by hand")
      })
  }
}
