import Journeys

/// Interleaves the subjects of a case, round by round, so that a machine that gets slower gets slower for
/// all of them.
struct Runner {
  /// Counted rounds; one more goes before as a warm-up.
  let rounds: Int
  let report: @Sendable (String) -> Void

  func run(_ workload: Workload) async throws -> [Figure] {
    var figures: [Figure] = []
    for work in workload.cases {
      let subscribers = work.subjects.map { $0.subscribers ?? work.subscribers }
      let counts = Set(subscribers).sorted().map(String.init).joined(separator: ", ")
      report("\(workload.name), S = \(counts), \(work.element)")
      var samples = [[Sample]](repeating: [], count: work.subjects.count)
      for round in 0...rounds {
        for (index, subject) in work.subjects.enumerated() {
          let sample = try await subject.measure()
          if round > 0 { samples[index].append(sample) }
        }
      }
      let medians = samples.map { median($0.map(\.usual)) }
      let reference = work.subjects.firstIndex { $0.name == work.reference }.map { medians[$0] }
      for (index, subject) in work.subjects.enumerated() {
        figures.append(
          Figure(
            workload: workload.name, subject: subject.name, subscribers: subscribers[index],
            element: work.element, nanoseconds: medians[index],
            low: samples[index].map(\.usual).min() ?? 0,
            high: samples[index].map(\.usual).max() ?? 0,
            worst: samples[index].compactMap(\.worst).max(), rounds: rounds,
            reference: work.reference,
            ratio: reference.map { medians[index] / $0 } ?? .nan, unit: workload.unit))
      }
    }
    return figures
  }

  private func median(_ samples: [Double]) -> Double {
    let sorted = samples.sorted()
    let middle = sorted.count / 2
    return sorted.count.isMultiple(of: 2)
      ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
  }
}

/// A row of the table.
struct Figure: Codable, Sendable {
  let workload: String
  let subject: String
  let subscribers: Int
  let element: String
  /// The median. For memory: bytes.
  let nanoseconds: Double
  let low: Double
  let high: Double
  /// The longest single one of all rounds, where they were timed one by one.
  let worst: Double?
  let rounds: Int
  let reference: String
  let ratio: Double
  let unit: String
}
