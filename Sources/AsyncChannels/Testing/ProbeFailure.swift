/// What a ``Probe`` throws: a sentence that says what was expected, what came instead, and how long
/// was waited.
public struct ProbeFailure: Error, CustomStringConvertible {
  /// The sentence.
  public let description: String

  init(_ sentence: String) {
    description = sentence
  }
}
