import XCTest

/// `XCTAssertEqual` for what has to be awaited: its own arguments are autoclosures, which cannot.
func assertEqual<Value: Equatable>(
  _ value: Value, _ expected: Value, _ message: String = "", file: StaticString = #filePath,
  line: UInt = #line
) {
  XCTAssertEqual(value, expected, message, file: file, line: line)
}
