public import Foundation

/// Who appended an entry, when, and with which version of the state.
public struct Origin: Hashable, Sendable {
  /// ``SharedState/version`` of the program that appended it.
  public let version: Int
  /// When that machine took it from its queue, by its clock, in whole milliseconds. It is no order: clocks differ.
  public let time: Date
  /// The name that the channel got when it was made.
  public let author: String

  /// The name of this machine in its network.
  public static let thisMachine: String = {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return "unknown" }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }()
}

/// The bytes of an entry: its origin, and the command. An entry without a command is *blank*: it takes its place in the
/// order, and changes nothing.
///
/// They are 0x01, version, milliseconds since 1970 and author with a space between them, a line feed, and the command.
/// What was stored before entries had an origin is the command alone, and JSON does not begin with 0x01. An entry
/// without bytes is blank, too.
struct Record {
  let origin: Origin?
  /// Nil if the entry is blank.
  let content: Data?

  private static let mark: UInt8 = 1
  private static let space = UInt8(ascii: " ")
  private static let lineFeed = UInt8(ascii: "\n")

  /// What stands before each command that is appended at this time.
  static func header(version: Int, author: String, time: Date = .now) -> Data {
    let milliseconds = Int64((time.timeIntervalSince1970 * 1_000).rounded(.down))
    return Data([mark]) + Data("\(version) \(milliseconds) \(author)\n".utf8)
  }

  /// Nil if it begins as one with an origin, and goes on otherwise.
  init?(_ bytes: Data) {
    guard bytes.first == Self.mark else {
      (origin, content) = (nil, bytes.isEmpty ? nil : bytes)
      return
    }
    guard let end = bytes.firstIndex(of: Self.lineFeed) else { return nil }
    let fields = bytes[bytes.startIndex + 1..<end].split(
      separator: Self.space, maxSplits: 2, omittingEmptySubsequences: false
    ).map { String(decoding: $0, as: UTF8.self) }
    guard fields.count == 3, let version = Int(fields[0]), let milliseconds = Int64(fields[1])
    else { return nil }
    let time = Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
    origin = Origin(version: version, time: time, author: fields[2])
    let content = bytes[(end + 1)...]
    self.content = content.isEmpty ? nil : content
  }
}

extension Logged<Data> {
  /// Who appended it; nil if it does not tell.
  package var origin: Origin? { Record(value)?.origin }

  /// The encoded command; nil if it is blank. All bytes if they cannot be read.
  package var content: Data? {
    guard let record = Record(value) else { return value }
    return record.content
  }

  package var isBlank: Bool { content == nil }
}
