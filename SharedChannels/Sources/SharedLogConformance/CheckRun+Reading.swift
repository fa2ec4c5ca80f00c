import Foundation
import SharedChannels

extension CheckRun {
  /// Keys with contents that are made of them.
  func batch(_ keys: some Sequence<String>) -> [Keyed<Data>] {
    keys.map { Keyed(key: $0, Data("content of \($0)".utf8)) }
  }

  func batch(_ prefix: String, _ numbers: Range<Int>) -> [Keyed<Data>] {
    batch(numbers.map { "\(prefix)-\($0)" })
  }

  /// So many entries after a position, as pages give them. Fails at a gap.
  func read(
    _ count: Int, from log: any SharedLog, after start: Position? = nil
  ) async throws -> [Logged<Data>] {
    var entries: [Logged<Data>] = []
    var last = start
    while entries.count < count {
      let page = try await log.entries(after: last)
      try require(!page.isEmpty, "a read gave no entries")
      for entry in page {
        try requireNext(entry.position, after: last)
        last = entry.position
      }
      entries += page
    }
    try require(entries.count == count, "\(entries.count) entries were read, and \(count) appended")
    return entries
  }

  /// All that the log has now.
  func readAll(_ log: any SharedLog) async throws -> [Logged<Data>] {
    try await read(Int(try await log.end().index), from: log)
  }

  private func requireNext(_ next: Position, after last: Position?) throws {
    let index = last?.index ?? 0
    try require(next.index == index + 1, "after the index \(index) comes \(next.index)")
    try require(
      last.map { $0.epoch == next.epoch } ?? true, "the epoch changed within the entries")
  }

  /// Whether the entries are these batches, one after the other, at the places that the receipts tell.
  func require(
    _ entries: [Logged<Data>], are batches: [[Keyed<Data>]], at receipts: [[Receipt]]
  ) throws {
    let (elements, receipts) = (batches.flatMap { $0 }, receipts.flatMap { $0 })
    try require(
      receipts.count == elements.count,
      "there are \(receipts.count) receipts for \(elements.count) elements")
    try require(
      entries.map(\.key) == elements.map(\.key),
      "the keys are not those that were appended, in their order")
    for (entry, (element, receipt)) in zip(entries, zip(elements, receipts)) {
      try require(entry.value == element.value, "\(entry.key) has another content")
      try require(!receipt.isRepeated, "\(entry.key) was appended once, and is called repeated")
      try require(
        receipt.position == entry.position,
        "\(entry.key) is at \(entry.position), and its receipt says \(receipt.position)")
    }
  }
}
