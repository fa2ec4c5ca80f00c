import XCTest

@testable import asyncdemo

final class LineSplitterTests: XCTestCase {
  func test_linesEndAtLineFeedsAndTheLastNeedsNone() throws {
    XCTAssertEqual(try lines("a\n\nb\r\nc"), [.text("a"), .text(""), .text("b"), .text("c")])
    XCTAssertEqual(try lines("a\n"), [.text("a")])
    XCTAssertEqual(try lines(""), [])
    XCTAssertEqual(try lines("a\rb\n"), [.text("a\rb")])
  }

  func test_aLineMayBeCutAnywhereByReading() throws {
    let text = "add Ann\nadd Zoë 👩‍👩‍👧\r\n\nlast"
    let whole = try lines(text)
    XCTAssertEqual(whole.count, 4)
    for size in 1...text.utf8.count {
      XCTAssertEqual(try lines(text, chunkSize: size), whole, "read \(size) bytes at a time")
    }
  }

  func test_aLineLongerThanTheLimitIsRefusedAndTheNextIsRead() throws {
    for size in 1...20 {
      XCTAssertEqual(
        try lines("12345678\n123456789\n1234567\n", limit: 8, chunkSize: size),
        [.text("12345678"), .tooLong(limit: 8), .text("1234567")])
    }
    XCTAssertEqual(try lines("123456789", limit: 8), [.tooLong(limit: 8)])
  }

  func test_bytesThatAreNotUTF8AreRefusedAndTheNextLineIsRead() throws {
    let bytes: [UInt8] = [0x61, 0xFF, 0x0A, 0xC3, 0x0A, 0x62, 0x00, 0x0A]
    XCTAssertEqual(try lines(bytes), [.notUTF8, .notUTF8, .text("b\0")])
  }

  func test_anErrorOfReadingIsThrown() {
    var splitter = LineSplitter { _ in throw InputError(code: EIO) }
    XCTAssertThrowsError(try splitter.next())
  }

  private func lines(_ text: String, limit: Int = 100, chunkSize: Int = 7) throws -> [InputLine] {
    try lines(Array(text.utf8), limit: limit, chunkSize: chunkSize)
  }

  private func lines(
    _ bytes: [UInt8], limit: Int = 100, chunkSize: Int = 7
  ) throws -> [InputLine] {
    var rest = bytes[...]
    var splitter = LineSplitter(limit: limit, chunkSize: chunkSize) { buffer in
      let part = rest.prefix(buffer.count)
      buffer.copyBytes(from: part)
      rest = rest.dropFirst(part.count)
      return part.count
    }
    var lines: [InputLine] = []
    while let line = try splitter.next() { lines.append(line) }
    return lines
  }
}
