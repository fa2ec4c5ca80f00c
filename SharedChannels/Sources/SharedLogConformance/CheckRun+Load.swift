import Foundation
import SharedChannels

extension CheckRun {
  func checkSlowReader() async throws {
    let (slow, fast) = (try await open(), try await open())
    let batches = (0..<30).map { number in
      (0..<100).map {
        Keyed(key: "s-\(number)-\($0)", Data(repeating: UInt8(number), count: 1_000))
      }
    }
    var receipts = [try await fast.append(batches[0])]
    let first = try await slow.entries(after: nil)
    for batch in batches.dropFirst() { receipts.append(try await fast.append(batch)) }
    let rest = try await read(3_000 - first.count, from: slow, after: first.last?.position)
    try require(first + rest, are: batches, at: receipts)
  }

  func checkLargeEntries() async throws {
    let (one, other) = (try await open(), try await open())
    let million = 1 << 20
    var noise = Data(count: 4 * million)
    noise.withUnsafeMutableBytes { bytes in
      let words = bytes.bindMemory(to: UInt64.self)
      for place in words.indices { words[place] = .random(in: 0 ... .max) }
    }
    var batches = [
      [
        Keyed(key: "empty", Data()), Keyed(key: "zero", Data([0])),
        Keyed(key: "bytes", Data(0...255)), Keyed(key: "text", Data("'\\\"{}\n%".utf8)),
      ],
      [Keyed(key: "large", noise)],
    ]
    for number in 0..<5 {
      batches.append(
        (0..<7).map { place in
          let begin = number * 70_000 + place * 10_000
          return Keyed(key: "m-\(number)-\(place)", Data(noise[begin..<begin + million]))
        })
    }
    var receipts: [[Receipt]] = []
    for batch in batches { receipts.append(try await one.append(batch)) }
    try require(try await readAll(other), are: batches, at: receipts)
    var last: Position?
    for _ in 0..<3 {
      let page = try await other.entries(after: last)
      let size = page.reduce(0) { $0 + $1.value.count }
      try require(size <= 32 * million, "one read gave \(size) bytes")
      last = page.last?.position
    }
  }

  func checkConcurrentAppenders() async throws {
    let (appenders, rounds, common) = (4, 40, 10)
    let count = appenders * rounds * 3 + common
    async let seen = read(count, from: open())
    async let seenByOther = read(count, from: open())
    let receipts = try await withThrowingTaskGroup(of: [(String, Receipt)].self) { group in
      for appender in 0..<appenders {
        group.addTask { try await append(as: appender, rounds: rounds, common: common) }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    let entries = try await seen
    try require(try await seenByOther == entries, "two readers saw different orders")
    try require(try await readAll(open()) == entries, "readers have not seen what the log has")
    let places = Dictionary(grouping: entries, by: \.key).mapValues { $0.map(\.position) }
    for (key, receipt) in receipts {
      try require(
        places[key] == [receipt.position],
        "\(key) is at \(places[key]?.map(\.index) ?? []), and a receipt says \(receipt.position.index)"
      )
    }
    let new = receipts.count { !$0.1.isRepeated }
    try require(new == count, "\(new) receipts call their key new, of \(count) keys")
    for appender in 0..<appenders {
      let own = entries.filter { $0.key.hasPrefix("a\(appender)-") }.map(\.position.index)
      try require(own.count == rounds * 3, "an appender's entries are there \(own.count) times")
      for round in 0..<rounds {
        let (first, last) = (own[round * 3], own[round * 3 + 2])
        try require(last == first + 2, "others' entries are inside a batch, at \(first)")
      }
    }
  }

  /// Appends batches of its own, and now and then a key that all appenders use.
  private func append(as appender: Int, rounds: Int, common: Int) async throws -> [(
    String, Receipt
  )] {
    let log = try await open()
    var receipts: [(String, Receipt)] = []
    for round in 0..<rounds {
      let numbers = round * 3..<round * 3 + 3
      var elements = batch(numbers.map { "a\(appender)-\($0)" })
      if round < common { elements.insert(contentsOf: batch("common", round..<round + 1), at: 0) }
      receipts += zip(elements.map(\.key), try await log.append(elements))
    }
    return receipts
  }
}
