/// A line of the program, or of a test.
package struct SourceLocation: Sendable, CustomStringConvertible {
  package let fileID: StaticString
  package let line: UInt

  package init(fileID: StaticString, line: UInt) {
    self.fileID = fileID
    self.line = line
  }

  package var description: String {
    // "Module/File.swift": the module goes without saying.
    let file = "\(fileID)".split(separator: "/").last ?? ""
    return "\(file):\(line)"
  }
}
