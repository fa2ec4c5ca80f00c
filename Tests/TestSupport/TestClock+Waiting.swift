package import AsyncChannelsTesting

/// For tests that run in real time, where sleepers fall asleep on threads of their own.
extension TestClock {
  /// Waits until somebody sleeps, and everybody who does until this long after now.
  package func untilAsleep(for duration: Duration) async throws {
    try await untilAsleep(within: duration...duration)
  }

  package func untilAsleep(within durations: ClosedRange<Duration>) async throws {
    try await until("somebody sleeps for \(durations)") {
      let rests = self.rests
      return !rests.isEmpty && rests.allSatisfy(durations.contains)
    }
  }

  /// Waits until somebody sleeps, and everybody who does for this long, and lets that time pass.
  package func pass(_ duration: Duration) async throws {
    try await untilAsleep(for: duration)
    advance(by: duration)
  }

  package func untilSleeping(_ count: Int) async throws {
    try await until("\(count) sleep") { self.sleeperCount == count }
  }

  package var isAnybodyAsleep: Bool { sleeperCount > 0 }
}
