import AsyncChannels
import AsyncChannelsRecording

/// Runs a closure in one order after the other until one fails, and then looks for the shortest order that still
/// fails: which of the jobs that ran out of turn matter.
@MainActor
struct OrderSearch {
  let stepLimit: Int
  let place: SourceLocation
  let body: LentBody
  /// How often the closure runs again for that.
  private static let mostRuns = 100

  func run(_ seed: UInt64) async throws {
    let run = TestRun(.random(seed: seed), stepLimit: stepLimit, at: place)
    let before = FailureCount.now
    do {
      try await run.run(body)
    } catch {
      if Task.isCancelled { throw error }
      // One that has to be abandoned would be in each further run, a second later.
      let shortest = run.hasAbandoned ? nil : await shortest(run.deviations)
      throw TestTimeFailure(ofOrder: seed, error, shortest: shortest, at: place)
    }
    // Each further run would fail the test once more.
    if FailureCount.now != before {
      throw TestTimeFailure(ofOrder: seed, nil, shortest: nil, at: place)
    }
  }

  /// Leaves out halves, then quarters, and so on to single ones, as long as it still fails. Nil if it does not fail
  /// again: then it depends on something else.
  private func shortest(
    _ found: [Int: Int]
  ) async -> (deviations: [Int: Int], flow: String?)? {
    let assertions = FailureCount.now
    guard await fails(found) else { return nil }
    var (kept, runs) = (found, 1)
    var size = max(1, kept.count / 2)
    while !kept.isEmpty, runs < Self.mostRuns, FailureCount.now == assertions {
      var hasShrunk = false
      for start in stride(from: 0, to: kept.count, by: size).reversed() where runs < Self.mostRuns {
        let keys = kept.keys.sorted()
        guard start < keys.count else { continue }
        var fewer = kept
        for key in keys[start..<min(start + size, keys.count)] { fewer[key] = nil }
        runs += 1
        if await fails(fewer) { (kept, hasShrunk) = (fewer, true) }
      }
      if size == 1, !hasShrunk { break }
      size = max(1, size / 2)
    }
    let last = TestRun(.deviating(kept), stepLimit: stepLimit, at: place)
    let recording = last.record()
    try? await last.run(body)
    let hasEvents = !recording.flow.events.isEmpty
    return (kept, hasEvents ? recording.text() : nil)
  }

  private func fails(_ deviations: [Int: Int]) async -> Bool {
    let run = TestRun(.deviating(deviations), stepLimit: stepLimit, at: place)
    do {
      try await run.run(body)
      return false
    } catch {
      return !run.hasAbandoned
    }
  }
}
