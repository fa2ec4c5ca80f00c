/// A line of the program, or of a test.
struct SourcePlace: Sendable, CustomStringConvertible {
  let fileID: StaticString
  let line: UInt

  var description: String {
    // "Module/File.swift": the module goes without saying.
    let file = "\(fileID)".split(separator: "/").last ?? ""
    return "\(file):\(line)"
  }
}
