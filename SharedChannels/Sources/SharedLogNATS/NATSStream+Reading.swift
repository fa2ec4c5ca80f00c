import Foundation
import SharedChannels

extension NATSStream {
  private static let pageCount = 500
  private static let pageBytes = 4 << 20

  func entries(after position: Position?) throws -> [Logged<Data>] {
    if reading == nil || reading?.position != position { try open(after: position) }
    guard let (tail, _, epoch) = reading else { return [] }
    // After an error nobody knows what was taken from it.
    reading = nil
    var (page, bytes) = ([Logged<Data>](), 0)
    while page.count < Self.pageCount, bytes < Self.pageBytes {
      let deadline = ContinuousClock.now + (page.isEmpty ? .seconds(60) : .zero)
      guard let (record, before) = try tail.nextRecord(until: deadline) else {
        if page.isEmpty { continue }
        break
      }
      if let name = record.epoch, record.number > epoch.number {
        throw LogFailure.otherEpoch(name)
      }
      if record.count == 0 { continue }
      for (offset, entry) in try record.entries().enumerated() {
        let place = Position(
          epoch: epoch.epoch ?? "", index: before.index + Int64(offset) + 1, mark: record.mark)
        guard place.index > position?.index ?? 0 else { continue }
        page.append(Logged(position: place, key: entry.key, value: entry.value))
        bytes += entry.value.count
      }
    }
    reading = (tail, page.last?.position, epoch)
    return page
  }

  private func open(after position: Position?) throws {
    try synchronize()
    guard let position else {
      reading = (try tail(after: NATSPlace()), nil, try epoch())
      return
    }
    var place = try placeInEpoch(before: position)
    if place == nil {
      try settle()
      place = try placeInEpoch(before: position)
    }
    let epoch = try epoch()
    if let name = epoch.epoch, name != position.epoch { throw LogFailure.otherEpoch(name) }
    guard let place else { throw LogFailure.otherEpoch(try beginEpoch(after: epoch)) }
    reading = (try tail(after: place), position, epoch)
  }

  /// The same as `place(before:)`; nil also if the log has another epoch.
  private func placeInEpoch(before position: Position) throws -> NATSPlace? {
    try epoch().epoch == position.epoch ? place(before: position) : nil
  }

  /// The place before the batch with the entry of a position; nil if the log does not have it.
  func place(before position: Position) throws -> NATSPlace? {
    if position.index == 0 { return NATSPlace() }
    guard let record = try batch(withMark: position.mark) else { return nil }
    var place = try place(before: record)
    guard position.index > place.index, position.index <= place.index + record.count else {
      return nil
    }
    place.sequence = record.sequence - 1
    return place
  }

  func end() throws -> Position {
    try synchronize()
    let place = try lastPlace()
    return Position(epoch: try epoch().epoch ?? "", index: place.index, mark: place.mark)
  }
}
