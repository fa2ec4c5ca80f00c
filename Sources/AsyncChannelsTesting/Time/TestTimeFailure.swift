import AsyncChannels
import AsyncChannelsRecording

/// The error that a test in test time throws for reasons of its own, not of its closure. Its message begins
/// with the file and line of the call.
public struct TestTimeFailure: Error, CustomStringConvertible {
  /// The message, and below it what waits, if the test would have waited forever.
  public let description: String

  init(_ sentence: String, at place: SourceLocation) {
    description = "\(place): \(sentence)"
  }

  /// - Parameter error: What the closure threw, if anything.
  init(_ findings: String, besides error: (any Error)?, at place: SourceLocation) {
    self.init(findings + (error.map { "\nThe closure threw: \($0)" } ?? ""), at: place)
  }

  /// - Parameters:
  ///   - error: Nil if an assertion failed that throws nothing.
  ///   - shortest: Of the shortest order that still fails, how many jobs run out of turn, and what happens; nil if it
  ///     was not looked for.
  init(
    ofOrder seed: UInt64, _ error: (any Error)?, shortest: (deviations: [Int: Int], flow: String?)?,
    at place: SourceLocation
  ) {
    var lines = [
      "In the order with seed \(seed) (repeat it with orders: .only(\(seed))):",
      error.map { "\($0)" } ?? "An assertion failed. No further order was tried.",
    ]
    if let shortest {
      let jobs = shortest.deviations.keys.sorted().prefix(20).map { "\($0)" }
      lines.append(
        jobs.isEmpty
          ? "It fails in the usual order, too."
          : """
          The shortest order that still fails differs from the usual one in \(shortest.deviations.count) of its \
          jobs (\(jobs.joined(separator: ", "))), which run before others that have been ready for longer.
          """)
      if let flow = shortest.flow { lines.append("What happens in it:\n\(flow)") }
    }
    self.init(lines.joined(separator: "\n"), at: place)
  }
}
