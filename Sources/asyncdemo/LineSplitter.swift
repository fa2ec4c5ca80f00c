/// Cuts bytes into lines at line feeds; a carriage return before one belongs to it.
///
/// The last line need not have an end. Of a line longer than the limit nothing is kept.
struct LineSplitter {
  /// In bytes: longer than anything a person types, short enough to be kept in memory.
  static let limit = 1 << 20

  /// Reads some bytes into a buffer and returns how many; zero at the end.
  private let read: (UnsafeMutableRawBufferPointer) throws -> Int
  private let limit: Int
  private var chunk: [UInt8]
  /// What of the chunk is not used yet.
  private var unread = 0..<0

  init(
    limit: Int = limit, chunkSize: Int = 64 * 1024,
    read: @escaping (UnsafeMutableRawBufferPointer) throws -> Int
  ) {
    self.limit = limit
    self.read = read
    chunk = Array(repeating: 0, count: chunkSize)
  }

  mutating func next() throws -> InputLine? {
    var line: [UInt8] = []
    var isTooLong = false
    var isAtEnd = false
    while true {
      if unread.isEmpty { try refill() }
      guard !unread.isEmpty else {
        isAtEnd = true
        break
      }
      let end = chunk[unread].firstIndex(of: UInt8(ascii: "\n"))
      let part = unread.lowerBound..<(end ?? unread.upperBound)
      unread = (end.map { $0 + 1 } ?? unread.upperBound)..<unread.upperBound
      if isTooLong || line.count + part.count > limit {
        isTooLong = true
        line = []
      } else {
        line += chunk[part]
      }
      if end != nil { break }
    }
    if isTooLong { return .tooLong(limit: limit) }
    if isAtEnd, line.isEmpty { return nil }
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    return InputLine(line)
  }

  private mutating func refill() throws {
    let count = try chunk.withUnsafeMutableBytes(read)
    unread = 0..<count
  }
}
