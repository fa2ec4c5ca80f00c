/// What a ``Probe`` throws: a sentence with what was expected, what came instead, and how long the
/// probe waited.
public struct ProbeFailure: Error, CustomStringConvertible {
  /// The sentence.
  public let description: String

  init(_ sentence: String) {
    description = sentence
  }
}
