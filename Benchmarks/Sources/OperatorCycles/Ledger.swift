import Synchronization

/// What became of each element of one operator's cycles.
final class Ledger: Sendable {
  private struct Books {
    var sent = 0
    var nextReader = 0
    /// For each element that left the input: the reader that took it, and which of its elements
    /// that was.
    var taken: [Int: (reader: Int, place: Int)] = [:]
    /// How many each reader took.
    var takenBy: [Int: Int] = [:]
    var takenTwice = 0
    /// For each element that came out of the operator: in which cycles.
    var delivered: [Int: [Int]] = [:]
    var left: Set<Int> = []
  }

  private let books = Mutex(Books())

  var sentCount: Int { books.withLock(\.sent) }
  var takenCount: Int { books.withLock(\.taken.count) }

  /// The number of the next element to be sent.
  func send() -> Int {
    books.withLock { books in
      defer { books.sent += 1 }
      return books.sent
    }
  }

  /// A number for whoever begins to read an input.
  func beginReading() -> Int {
    books.withLock { books in
      defer { books.nextReader += 1 }
      return books.nextReader
    }
  }

  func took(_ element: Int, reader: Int) {
    books.withLock { books in
      let place = books.takenBy[reader, default: 0]
      books.takenBy[reader] = place + 1
      if books.taken.updateValue((reader, place), forKey: element) != nil { books.takenTwice += 1 }
    }
  }

  func delivered(_ elements: [Int], in cycle: Int) {
    books.withLock { books in
      for element in elements { books.delivered[element, default: []].append(cycle) }
    }
  }

  /// Notes what the last cycle left in the input.
  func left(_ element: Int) {
    books.withLock { books in _ = books.left.insert(element) }
  }

  /// The balance, once nobody reads any more.
  func outcome(of name: String, cycles: Int, does habits: Habits) -> Outcome {
    books.withLock { books in
      var outcome = Outcome(name: name, cycles: cycles, sent: books.sent)
      outcome.takenTwice = books.takenTwice
      for element in 0..<books.sent {
        if let cycles = books.delivered[element] {
          outcome.delivered += 1
          let times = habits.contains(.repeats) ? Set(cycles).count : cycles.count
          if times > 1 { outcome.twice += 1 }
        } else if books.left.contains(element) {
          outcome.left += 1
        } else if let (reader, place) = books.taken[element] {
          let isLast = books.takenBy[reader] == place + 1
          if habits.contains(.discards), !isLast {
            outcome.superseded += 1
          } else {
            outcome.lost += 1
          }
        } else {
          outcome.vanished += 1
        }
      }
      return outcome
    }
  }
}

/// What an operator does to elements on purpose.
struct Habits: OptionSet {
  let rawValue: Int

  /// A newer element of the same input may take the place of one that was not delivered yet.
  static let discards = Habits(rawValue: 1)
  /// An element may be delivered several times, beside different ones of the other input.
  static let repeats = Habits(rawValue: 2)
}

/// A row of the table. Each element that was sent is counted once: as delivered, superseded, left,
/// lost or vanished.
struct Outcome: Sendable {
  let name: String
  let cycles: Int
  let sent: Int
  var delivered = 0
  /// Replaced in the operator by a newer one, as is its purpose.
  var superseded = 0
  /// Still in the input after the last cycle.
  var left = 0
  /// Taken by the operator and never delivered: it was cancelled with the element in its hands.
  var lost = 0
  /// Delivered twice, which nothing should be.
  var twice = 0
  /// Sent, but in no input and in nobody's hands; this, and what was taken twice, is the fault of
  /// this package.
  var vanished = 0
  var takenTwice = 0

  static let header = [
    "operator", "cycles", "sent", "delivered", "superseded", "left", "lost", "twice",
  ]

  var cells: [String] {
    [name] + [cycles, sent, delivered, superseded, left, lost, twice].map(String.init)
  }
}
