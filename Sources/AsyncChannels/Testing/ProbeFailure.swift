/// What a ``Probe`` throws: a sentence with the place of the expectation, what was expected, what came
/// instead, and how long the probe waited.
public struct ProbeFailure: Error, CustomStringConvertible {
  /// The sentence: "ProfileTests.swift:12: Expected 3, but nothing came within 5.0 s."
  public let description: String

  init(_ sentence: String, at place: SourcePlace) {
    description = "\(place): \(sentence)"
  }
}

/// A line of a test.
struct SourcePlace: Sendable, CustomStringConvertible {
  let fileID: StaticString
  let line: UInt

  var description: String {
    // "Module/File.swift": the module goes without saying.
    let file = "\(fileID)".split(separator: "/").last ?? ""
    return "\(file):\(line)"
  }
}
