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
  var subscribers: Int?
  /// Does the work once, checks that nothing was lost, and returns nanoseconds (or bytes) a unit.
  let measure: @Sendable () async throws -> Double
}
