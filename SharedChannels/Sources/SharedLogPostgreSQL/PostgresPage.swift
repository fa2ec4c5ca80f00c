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

  /// The call that gives the rows of pages of several logs, which share what a page may have.
  ///
  /// - Parameter durables: Up to which entries they are known to be durable; nil if that is not known.
  static func call(for reads: [LogRead], upTo durables: [DurableEntry?]) -> PostgresCall {
    PostgresCall(
      "entries", .texts(reads.map(\.following.log)), .integers(reads.map { $0.known?.index ?? 0 }),
      // No entry has that index.
      .integers(durables.map { $0?.index ?? .max }), .integers(durables.map { $0?.mark ?? 0 }),
      .integer(count), .integer(bytes / reads.count))
  }

  /// - Parameters:
  ///   - lines: Those of this page.
  ///   - count: How many logs were read at a time.
  init?(
    _ rows: PostgresRows, at lines: [Int32], after known: Position?, sharedBy count: Int
  ) throws {
    guard let first = lines.first else {
      throw LogFailure.unreachable("the database has not answered all that it was asked")
    }
    let epoch = rows.text(first, 0)
    if rows.isNull(first, 0) {
      // It was never used, or is not there any more.
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
