import AsyncChannels

/// Why a test in test time failed, apart from what its closure threw: a sentence that begins with the file and
/// line of the call.
public struct TestTimeFailure: Error, CustomStringConvertible {
  /// The sentence, and under it what waits, if something waited for ever.
  public let description: String

  init(_ sentence: String, at place: SourcePlace) {
    description = "\(place): \(sentence)"
  }

  /// - Parameter error: What the closure threw, if anything.
  init(_ findings: String, besides error: (any Error)?, at place: SourcePlace) {
    self.init(findings + (error.map { "\nThe closure threw: \($0)" } ?? ""), at: place)
  }

  init(ofOrder seed: UInt64, _ error: any Error, at place: SourcePlace) {
    self.init(
      "In the order with seed \(seed) (repeat it with orders: .random(1, seed: \(seed))):\n\(error)",
      at: place)
  }
}
