/// In which order jobs that are ready run.
enum JobOrder: Sendable, Equatable {
  /// The one that has been ready for longest is the next.
  case asReady
  case random(seed: UInt64)
  /// As ready, except for some jobs, by their number: there the one that has been ready for longest but so many.
  case deviating([Int: Int])
}
