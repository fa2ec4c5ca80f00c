import Foundation
import SharedChannels

/// What a read has found; nothing if it is only what was known.
enum PostgresPage {
  /// - Parameter isLast: Whether these are all entries of which the reader was told.
  case entries([Logged<Data>], isLast: Bool)
  case otherEpoch(String)
  case isLost(Position)
  case gap(after: Int64, found: Int64)

  private static let count = 500
  private static let bytes = 4 << 20

  /// The call that gives a page's rows.
  static func call(after known: Position?, _ news: PostgresNews) -> PostgresCall {
    PostgresCall(
      "entries", .integer(known?.index ?? 0), .integer(count), .integer(bytes),
      .integer(news.index), .integer(news.mark))
  }

  /// The call that gives the rows of pages of several logs, which share what a page may have.
  static func call(for reads: [LogRead]) -> PostgresCall {
    PostgresCall(
      "entries", .texts(reads.map(\.following.log)), .integers(reads.map { $0.known?.index ?? 0 }),
      .integer(count), .integer(bytes / reads.count))
  }

  /// - Parameters:
  ///   - lines: Those of this page; nil for all.
  ///   - count: How many logs were read at a time.
  init?(
    _ rows: PostgresRows, at lines: [Int32]? = nil, after known: Position?, sharedBy count: Int = 1
  ) throws {
    let lines = lines ?? Array(rows.indices)
    guard let first = lines.first else {
      throw LogFailure.refused("the table of the log's epoch is empty")
    }
    let epoch = rows.text(first, 0)
    if rows.isNull(first, 0) {
      // One of many logs, which was never used, or is not there any more.
      guard let known else { return nil }
      self = .isLost(known)
      return
    }
    if let known, known.epoch != epoch {
      self = .otherEpoch(epoch)
      return
    }
    var places = lines.filter { !rows.isNull($0, 1) }
    if let known, known.index > 0 {
      let first = places.first.map { rows.position($0, epoch: epoch) }
      if let first, first.index > known.index {
        self = .gap(after: known.index, found: first.index)
        return
      }
      guard first == known else {
        self = .isLost(known)
        return
      }
      places.removeFirst()
    }
    if places.isEmpty { return nil }
    let entries = places.map {
      Logged(
        position: rows.position($0, epoch: epoch), key: rows.text($0, 3), value: rows.data($0, 4))
    }
    let size = entries.reduce(0) { $0 + $1.value.count }
    self = .entries(entries, isLast: entries.count < Self.count && size < Self.bytes / count)
  }

  /// Where the reader is if it needs no other page before it is told of more.
  var end: Position? {
    guard case .entries(let entries, isLast: true) = self else { return nil }
    return entries.last?.position
  }
}

/// Up to which entry the log is durable, as notifications tell it.
struct PostgresNews {
  let index: Int64
  let mark: Int64
  /// How many notifications there were.
  let count: Int

  /// No entry has it, so a read with it looks at all entries.
  static let unknown = PostgresNews(index: .max, mark: 0, count: 0)

  private init(index: Int64, mark: Int64, count: Int) {
    (self.index, self.mark, self.count) = (index, mark, count)
  }

  init(_ text: String) {
    let numbers = text.split(separator: " ").compactMap { Int64($0) }
    self =
      numbers.count == 2 ? PostgresNews(index: numbers[0], mark: numbers[1], count: 1) : .unknown
  }

  func and(_ other: PostgresNews) -> PostgresNews {
    let newest = index > other.index ? self : other
    return PostgresNews(index: newest.index, mark: newest.mark, count: count + other.count)
  }
}

extension PostgresRows {
  var snapshot: Snapshot? {
    indices.first.map {
      Snapshot(version: Int(integer($0, 3)), position: position($0), data: data($0, 4))
    }
  }

  /// The first three columns of most functions.
  func position(_ row: Int32) -> Position { position(row, epoch: text(row, 0)) }

  func position(_ row: Int32, epoch: String) -> Position {
    Position(epoch: epoch, index: integer(row, 1), mark: integer(row, 2))
  }
}
