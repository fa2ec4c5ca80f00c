import Journeys

/// One thing to do, which several subjects do in turn.
struct Workload: Sendable {
  let name: String
  /// What one nanosecond figure is the time of; or "byte" for memory.
  let unit: String
  /// Rows of the table that are compared with each other.
  let cases: [Case]
}

/// The same work for several subjects, one of which is the reference.
struct Case: Sendable {
  /// Of each subject that does not say how many it has.
  let subscribers: Int
  let element: String
  let subjects: [Subject]
  /// The reference's name.
  let reference: String
}

/// One way to do the work.
struct Subject: Sendable {
  let name: String
  /// Where the subjects of a case differ.
  let subscribers: Int?
  /// Does the work once, and checks that nothing was lost.
  let measure: @Sendable () async throws -> Sample

  /// - Parameter measure: Returns nanoseconds (or bytes) a unit.
  init(
    name: String, subscribers: Int? = nil, measure: @escaping @Sendable () async throws -> Double
  ) {
    self.init(name: name, subscribers: subscribers, sample: { Sample(try await measure()) })
  }

  init(
    name: String, subscribers: Int? = nil, sample: @escaping @Sendable () async throws -> Sample
  ) {
    self.name = name
    self.subscribers = subscribers
    measure = sample
  }
}

/// What one round of a subject measured.
struct Sample: Sendable {
  /// Nanoseconds (or bytes) a unit.
  let usual: Double
  /// The longest single one, in nanoseconds; nil if they were not timed one by one.
  let worst: Double?

  init(_ usual: Double, worst: Double? = nil) {
    (self.usual, self.worst) = (usual, worst)
  }

  /// The median of what was timed one by one.
  init(timesOfEach times: [Double]) {
    self.init(times.sorted()[times.count / 2], worst: times.max())
  }
}
