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

  init(ofOrder seed: UInt64, _ error: any Error, at place: SourceLocation) {
    self.init(
      "In the order with seed \(seed) (repeat it with orders: .random(1, seed: \(seed))):\n\(error)",
      at: place)
  }
}
