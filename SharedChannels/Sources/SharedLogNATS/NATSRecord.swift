import Foundation
import SharedChannels

/// A message of the log: a batch; or, without entries, another epoch, or another beginning. It tells where it is.
struct NATSRecord {
  /// Its place in the stream, which it has when it is stored.
  var sequence: Int64 = 0
  /// A random number, by which its author recognizes it.
  var id = UInt64.random(in: 1 ... .max)
  /// How many entries come before it, with those that were deleted.
  var index: Int64 = 0
  /// The mark of the last of them; 0 if there is none.
  var lastMark: Int64 = 0
  var count: Int64 = 0
  /// The index of the first entry that is not deleted.
  var first: Int64 = 1
  var epoch = UUID().uuidString
  var data = Data()

  /// What positions have of it: 23 bits of its random number, and where it is in the stream, in 40 bits.
  var mark: Int64 { Int64(id >> 41) << 40 | sequence }

  static func sequence(ofMark mark: Int64) -> Int64 { mark & (1 << 40 - 1) }

  /// The place behind it.
  var end: Position {
    Position(epoch: epoch, index: index + count, mark: count > 0 ? mark : lastMark)
  }

  /// The record that comes after it, still without entries.
  func next() -> NATSRecord {
    NATSRecord(index: end.index, lastMark: end.mark, first: first, epoch: epoch)
  }

  static let header = "Log"

  var text: String {
    "\(String(id, radix: 16)) \(index) \(lastMark) \(count) \(first) \(epoch)"
  }
}

extension NATSRecord {
  /// - Throws: ``LogFailure/unreachable(_:)`` if others have stored this message, or it is damaged. It does not throw
  ///   `refused`: an append that cannot read the log does not know whether it has stored its batch before.
  init(sequence: Int64, data: Data, text: String?) throws {
    let parts = (text ?? "").split(separator: " ")
    let numbers = parts.dropFirst().prefix(4).compactMap { Int64($0) }
    // So large an index cannot be reached, and adding to it cannot overflow.
    guard parts.count == 6, numbers.count == 4, let id = UInt64(parts[0], radix: 16),
      0...1 << 62 ~= numbers[0], 0...1 << 24 ~= numbers[2], 1...1 << 62 ~= numbers[3]
    else {
      throw LogFailure.unreachable("the message \(sequence) of the stream is not the log's")
    }
    self.init(
      sequence: sequence, id: id, index: numbers[0], lastMark: numbers[1], count: numbers[2],
      first: numbers[3], epoch: String(parts[5]), data: data)
  }

  /// The entries of a batch: the lengths of key and value in one byte and four, then both.
  static func encode(_ batch: [Keyed<Data>]) -> Data {
    var data = Data()
    for element in batch {
      data.append(UInt8(element.key.utf8.count))
      withUnsafeBytes(of: UInt32(element.value.count).littleEndian) { data.append(contentsOf: $0) }
      data.append(contentsOf: element.key.utf8)
      data.append(element.value)
    }
    return data
  }

  func entries() throws -> [(key: String, position: Position, value: Data)] {
    let cutOff = LogFailure.unreachable("the message \(sequence) of the stream is cut off")
    var rest = data[...]
    func take(_ count: Int) throws -> Data {
      guard rest.count >= count else { throw cutOff }
      defer { rest = rest.dropFirst(count) }
      return rest.prefix(count)
    }
    guard count * 5 <= data.count else { throw cutOff }
    return try (0..<count).map { offset in
      let head = Array(try take(5))
      let length = head[1...].reversed().reduce(0) { $0 << 8 | Int($1) }
      let key = String(decoding: try take(Int(head[0])), as: UTF8.self)
      let position = Position(epoch: epoch, index: index + offset + 1, mark: mark)
      return (key, position, Data(try take(length)))
    }
  }
}
