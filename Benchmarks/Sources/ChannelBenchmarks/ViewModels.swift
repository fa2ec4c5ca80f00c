import AsyncChannels
import Journeys

extension Workload {
  /// From a view's input to a view's output, beside what a user would write by hand.
  static func viewModel(_ scale: Scale) -> Workload {
    let (inputs, members) = (scale.count(20_000), scale.count(1000))
    return Workload(
      name: "view-model", unit: "input",
      cases: [
        beside("sign-in, one at a time", ours: { try await signIn(inputs, .oneAtATime) }) {
          try await signInByHand(inputs, .oneAtATime)
        },
        beside("sign-in, latest only", ours: { try await signIn(inputs, .latestOnly) }) {
          try await signInByHand(inputs, .latestOnly)
        },
        beside("add member", ours: { try await addMembers(members, viewModels: 1) }) {
          try await addMembersByHand(members, viewModels: 1)
        },
        beside("add member", 100, ours: { try await addMembers(members, viewModels: 100) }) {
          try await addMembersByHand(members, viewModels: 100)
        },
      ])
  }

  private static func beside(
    _ element: String, _ viewModels: Int = 1, ours: @escaping @Sendable () async throws -> Double,
    byHand: @escaping @Sendable () async throws -> Double
  ) -> Case {
    Case(
      subscribers: viewModels, element: element,
      subjects: [
        Subject(name: "AsyncChannels", measure: ours), Subject(name: "by hand", measure: byHand),
      ], reference: "by hand")
  }
}
