import Foundation
import SharedChannels

/// A place in the log: behind a message of the stream.
struct NATSPlace {
  var sequence: Int64 = 0
  /// How many entries there are up to here.
  var index: Int64 = 0
  /// The mark of the last of them; 0 if there is none.
  var mark: Int64 = 0

  /// Without the sequence, of which the mark tells enough.
  var text: String { "\(index) \(mark)" }

  init() {}

  init?(_ text: String) {
    let numbers = text.split(separator: " ").compactMap { Int64($0) }
    // So large an index cannot be reached, and adding to it cannot overflow.
    guard numbers.count == 2, 0...1 << 62 ~= numbers[0] else { return nil }
    (index, mark) = (numbers[0], numbers[1])
    sequence = NATSRecord.sequence(ofMark: mark)
  }

  mutating func pass(_ record: NATSRecord) {
    sequence = record.sequence
    if record.count > 0 { (index, mark) = (index + record.count, record.mark) }
  }
}

/// A message of the log: a batch, a batch that must not come any more (with no entries), or the name of an epoch.
struct NATSRecord {
  let sequence: Int64
  /// The last part of its subject: a batch's number, or an epoch's.
  let number: UInt64
  let count: Int64
  let epoch: String?
  /// A place that its author knew, somewhere before it. Since others append at the same time, its author could not
  /// know its index. Whoever reads the record counts from there.
  let known: NATSPlace
  let data: Data

  /// - Throws: ``LogFailure/unreachable(_:)`` if others have stored this message, or it is damaged. It does not throw
  ///   `refused`: an append that cannot read the log does not know whether it has stored its batch before.
  init(
    sequence: Int64, subject: String, data: Data, header: (String) -> String?
  ) throws {
    guard let known = header("Log-Known").flatMap({ NATSPlace($0) }),
      let count = header("Log-Count").flatMap({ Int64($0) }), 0...1 << 24 ~= count,
      let number = subject.split(separator: ".").last.flatMap({ UInt64($0, radix: 16) })
    else {
      throw LogFailure.unreachable("the message \(sequence) of the stream is not the log's")
    }
    (self.sequence, self.number, self.count) = (sequence, number, count)
    (self.epoch, self.known, self.data) = (header("Log-Epoch"), known, data)
  }

  /// What positions have of it: 23 bits of its random number, and where it is in the stream, in 40 bits.
  var mark: Int64 { Int64(number >> 41) << 40 | sequence }

  static func sequence(ofMark mark: Int64) -> Int64 { mark & (1 << 40 - 1) }

  static func headers(_ known: NATSPlace, count: Int = 0, epoch: String? = nil) -> [String: String]
  {
    var headers = ["Log-Known": known.text, "Log-Count": "\(count)"]
    headers["Log-Epoch"] = epoch
    return headers
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

  func entries() throws -> [(key: String, value: Data)] {
    let cutOff = LogFailure.unreachable("the message \(sequence) of the stream is cut off")
    var rest = data[...]
    func take(_ count: Int) throws -> Data {
      guard rest.count >= count else { throw cutOff }
      defer { rest = rest.dropFirst(count) }
      return rest.prefix(count)
    }
    guard count * 5 <= data.count else { throw cutOff }
    return try (0..<count).map { _ in
      let head = Array(try take(5))
      let length = head[1...].reversed().reduce(0) { $0 << 8 | Int($1) }
      let key = String(decoding: try take(Int(head[0])), as: UTF8.self)
      return (key, Data(try take(length)))
    }
  }
}
