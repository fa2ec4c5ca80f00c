import AsyncChannelsRecording

/// What a probe is called in its sentences: the name that it was given, or else the outlet as the test's source calls
/// it, `viewModel.$hits`. An outlet does not know the property that it is read from.
struct ProbeName: Sendable, CustomStringConvertible {
  let given: String?
  let filePath: StaticString
  let line: UInt
  let type: Any.Type

  /// Looked up when a sentence needs it, since it reads the file.
  var description: String {
    given ?? sourceLine.flatMap(Self.argument) ?? "an outlet of \(type)"
  }

  /// The argument of the only call that makes a probe in a line; nil if there is another, or it goes on in the next
  /// line.
  static func argument(in line: String) -> String? {
    let calls = line.ranges(of: /\b(?:Probe(?:<[^()]*>)?\(|withProbe\(of: *)/)
    guard calls.count == 1, let call = calls.first else { return nil }
    var depth = 0
    var end = call.upperBound
    while end < line.endIndex {
      switch line[end] {
      case "(", "[", "{": depth += 1
      case ")", "]", "}", ",":
        if depth == 0 { return end == call.upperBound ? nil : String(line[call.upperBound..<end]) }
        if line[end] != "," { depth -= 1 }
      default: break
      }
      end = line.index(after: end)
    }
    return nil
  }

  private var sourceLine: String? {
    guard line > 0 else { return nil }
    let text = System.withContents(of: "\(filePath)") { bytes in
      let lines = bytes.split(
        separator: UInt8(ascii: "\n"), maxSplits: Int(line), omittingEmptySubsequences: false)
      return lines.dropFirst(Int(line) - 1).first.map { String(decoding: $0, as: UTF8.self) }
    }
    return text ?? nil
  }
}
