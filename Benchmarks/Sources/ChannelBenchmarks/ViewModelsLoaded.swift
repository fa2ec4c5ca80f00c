import AsyncChannels
import Journeys

extension Workload {
  /// As `view-model`, while other threads want the cores.
  static func viewModelLoaded(_ scale: Scale) -> Workload {
    let (inputs, members) = (scale.count(200), scale.count(20))
    return Workload(
      name: "view-model-loaded", unit: "input",
      cases: Scale.busyThreads.flatMap { busyThreads in
        [
          beside(busyThreads, "sign-in, one at a time") {
            try await signIn(inputs, .oneAtATime, noting: $0)
          } byHand: {
            try await signInByHand(inputs, .oneAtATime, noting: $0)
          },
          beside(busyThreads, "sign-in, latest only") {
            try await signIn(inputs, .latestOnly, noting: $0)
          } byHand: {
            try await signInByHand(inputs, .latestOnly, noting: $0)
          },
          beside(busyThreads, "add member") {
            try await addMembers(inputs, viewModels: 1, noting: $0)
          } byHand: {
            try await addMembersByHand(inputs, viewModels: 1, noting: $0)
          },
          beside(busyThreads, "add member", viewModels: 100) {
            try await addMembers(members, viewModels: 100, noting: $0)
          } byHand: {
            try await addMembersByHand(members, viewModels: 100, noting: $0)
          },
        ]
      })
  }

  /// Does the work, tells of each input how many nanoseconds it took, and returns the mean.
  private typealias Journey =
    @Sendable (_ note: @escaping @Sendable (Double) -> Void) async throws -> Double

  private static func beside(
    _ busyThreads: Int, _ element: String, viewModels: Int = 1, ours: @escaping Journey,
    byHand: @escaping Journey
  ) -> Case {
    Case(
      subscribers: viewModels, element: "\(element), \(busyThreads) busy",
      subjects: [("AsyncChannels", ours), ("by hand", byHand)].map { name, journey in
        Subject(
          name: name,
          sample: {
            let worst = Shared(0.0)
            let mean = try await whileBusy(busyThreads) {
              try await journey { time in worst.withLock { $0 = max($0, time) } }
            }
            return Sample(mean, worst: worst.withLock { $0 })
          })
      }, reference: "by hand")
  }
}
