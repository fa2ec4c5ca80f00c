import Foundation
import SharedChannels

extension CheckRun {
  func checkOrder() async throws {
    let (one, other) = (try await open(), try await open())
    try require(try await one.end().index == 0, "a new log is not empty")
    let batches = [
      batch("a", 0..<1), batch("b", 0..<5), batch("c", 0..<2), batch("d", 0..<700),
      batch("e", 0..<3),
    ]
    var receipts: [[Receipt]] = []
    for (number, batch) in batches.enumerated() {
      receipts.append(try await (number.isMultiple(of: 2) ? one : other).append(batch))
    }
    let entries = try await readAll(one)
    try require(entries, are: batches, at: receipts)
    try require(try await readAll(other) == entries, "two handles read different entries")
    try require(
      try await one.end() == entries.last?.position, "the end is not after the last entry")
    try require(try await one.append([]).isEmpty, "an empty batch has receipts")
    try require(
      try await other.end() == entries.last?.position, "an empty batch has moved the end")
    for start in [0, 1, 499, 500, 709] {
      let rest = try await read(
        entries.count - start - 1, from: other, after: entries[start].position)
      try require(
        rest == Array(entries[(start + 1)...]), "after \(start + 1) entries, others are read")
    }
  }

  func checkKeys() async throws {
    let (one, other) = (try await open(), try await open())
    func element(_ key: String, _ content: String) -> Keyed<Data> {
      Keyed(key: key, Data(content.utf8))
    }
    _ = try await one.append([element("x", "1"), element("y", "2")])
    // The second key of the batch is new, and comes again in it.
    let again = [
      element("x", "9"), element("z", "3"), element("z", "4"), element("y", "8"),
      element("Z", "5"), element("z ", "6"),
    ]
    for (log, isFirst) in [(one, true), (one, false), (other, false)] {
      let receipts = try await log.append(again)
      try require(
        receipts.map(\.position.index) == [1, 3, 3, 2, 4, 5],
        "the receipts of repeated keys are at \(receipts.map(\.position.index))")
      try require(
        receipts.map(\.isRepeated) == [true, !isFirst, true, true, !isFirst, !isFirst],
        "the receipts do not tell which keys are repeated")
    }
    let long = String(repeating: "k", count: 254)
    let unusual = ["'", "\"", "\\", "{}", ",", "NULL", "%", " ", "~", long + "1", long + "2"]
    _ = try await other.append(batch(unusual))
    let entries = try await readAll(one)
    try require(
      entries.prefix(5).map { String(decoding: $0.value, as: UTF8.self) } == [
        "1", "2", "3", "5", "6",
      ], "the log does not have the first content of each key")
    try require(
      entries.dropFirst(5).map(\.key) == unusual, "unusual keys are not read as they were appended")
  }

  func checkWaiting() async throws {
    let (one, other) = (try await open(), try await open())
    var last: Position?
    // A reader on each handle, while one of them appends.
    for round in 0..<20 {
      let start = last
      async let read = one.entries(after: start)
      async let readByOther = other.entries(after: start)
      if round.isMultiple(of: 4) { try await Task.sleep(for: .milliseconds(50)) }
      _ = try await (round.isMultiple(of: 2) ? one : other).append(batch("w", round..<round + 1))
      for entries in [try await read, try await readByOther] {
        try require(
          entries.map(\.key) == ["w-\(round)"], "a reader that waited got \(entries.map(\.key))")
        last = entries[0].position
      }
    }
    // While one waits, another of its handle goes on.
    let end = last
    async let waiting = one.entries(after: end)
    try await Task.sleep(for: .milliseconds(50))
    let all = try await within(.seconds(5), "a read has ended while another waits") {
      try await readAll(one)
    }
    try require(all.count == 20, "while another waits, a read got \(all.count) entries of 20")
    _ = try await one.append(batch("w", 20..<21))
    let keys = try await waiting.map(\.key)
    try require(keys == ["w-20"], "a reader that waited beside another got \(keys)")
  }

  func checkCancelling() async throws {
    let log = try await open()
    _ = try await log.append(batch("c", 0..<1))
    let end = try await log.end()
    for milliseconds in [0, 1, 20, 200] {
      // Not a child task: it may ignore that it is cancelled.
      let reading = Task { try await log.entries(after: end) }
      try await Task.sleep(for: .milliseconds(milliseconds))
      reading.cancel()
      let result = try await within(.seconds(3), "a cancelled reader has ended") {
        await reading.result
      }
      if case .success(let entries) = result {
        try require(false, "a cancelled reader got \(entries.count) entries after the end")
      }
    }
    // The handle works as before.
    _ = try await log.append(batch("c", 1..<2))
    _ = try await read(1, from: log, after: end)
  }
}
