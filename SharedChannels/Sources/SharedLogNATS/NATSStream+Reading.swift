import Foundation
import SharedChannels

extension NATSStream {
  /// Where a reader is.
  struct Reading {
    let tail: NATSTail
    /// The newest record when the tail was made.
    let newest: NATSRecord
    /// How many entries come before the tail's next record, or before the first that is there.
    var index: Int64
    var position: Position?
  }

  private static let pageCount = 500
  private static let pageBytes = 4 << 20

  func entries(after position: Position?) throws -> [Logged<Data>] {
    if reading == nil || reading?.position != position { try open(after: position) }
    guard var reading else { return [] }
    // After an error nobody knows what was taken from it.
    self.reading = nil
    var (page, bytes) = ([Logged<Data>](), 0)
    let start = max(position?.index ?? 0, reading.newest.first - 1)
    while page.count < Self.pageCount, bytes < Self.pageBytes {
      let deadline = ContinuousClock.now + (page.isEmpty ? .seconds(60) : .zero)
      guard let record = try reading.tail.nextRecord(until: deadline) else {
        if page.isEmpty { continue }
        break
      }
      if record.sequence > reading.newest.sequence, record.epoch != reading.newest.epoch {
        throw LogFailure.otherEpoch(record.epoch)
      }
      guard let replacements = try replacements(after: reading.index, before: record) else {
        // Entries were deleted. Whoever reads on from the page's end is told.
        if !page.isEmpty { return page }
        try open(after: position)
        throw Self.isMissing(record.sequence - 1)
      }
      for var record in replacements + [record] {
        record.epoch = reading.newest.epoch
        for (key, place, value) in try record.entries() where place.index > start {
          page.append(Logged(position: place, key: key, value: value))
          bytes += value.count
        }
      }
      reading.index = max(reading.index, record.end.index)
    }
    reading.position = page.last?.position
    self.reading = reading
    return page
  }

  private func open(after position: Position?) throws {
    try synchronize()
    var (newest, record) = (try newest(), NATSRecord?.none)
    if let position, position.index > 0 {
      record = try batch(of: position, newest)
      if record == nil {
        // A leader that was frozen and replaced answers from what it had, until it learns that it was replaced.
        Thread.sleep(forTimeInterval: 1)
        try synchronize()
        newest = try self.newest()
        record = try batch(of: position, newest)
      }
    }
    if let position {
      guard position.epoch == newest.epoch else { throw LogFailure.otherEpoch(newest.epoch) }
      if 1..<newest.first ~= position.index {
        throw LogFailure.gap(after: position.index, found: newest.first)
      }
      if record == nil, position.index > 0 {
        throw LogFailure.otherEpoch(try beginEpoch(after: newest.epoch))
      }
    }
    let tail = try tail(after: record.map { $0.sequence - 1 } ?? 0)
    reading = Reading(
      tail: tail, newest: newest, index: record?.index ?? newest.first - 1, position: position)
  }

  /// The batch with the entry of a position, if the log has it.
  func batch(of position: Position, _ newest: NATSRecord) throws -> NATSRecord? {
    guard position.epoch == newest.epoch, position.index >= newest.first,
      let record = try record(at: NATSRecord.sequence(ofMark: position.mark)),
      record.mark == position.mark, position.index > record.index,
      position.index <= record.end.index
    else { return nil }
    return record
  }

  func end() throws -> Position {
    try synchronize()
    return try newest().end
  }

  /// The log's epoch, which is another than this one. Whoever comes first makes it.
  func beginEpoch(after epoch: String) throws -> String {
    while true {
      let newest = try newest()
      if newest.epoch != epoch { return newest.epoch }
      var record = newest.next()
      record.epoch = UUID().uuidString
      if case .stored = try store(record, after: newest.sequence) { return record.epoch }
    }
  }
}
