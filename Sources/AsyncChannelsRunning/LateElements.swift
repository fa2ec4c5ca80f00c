/// Which elements came before the last answer was published: they are counted as they come.
struct LateElements {
  /// How many were taken or skipped.
  private var taken = 0
  /// The last that had come before an answer was published; of those with a key, before one with that key was.
  private var last = 0
  private var lastOf: [AnswerKey: Int] = [:]

  /// An answer is published now.
  mutating func note(readyIn place: ConsumerPlace, _ key: AnswerKey?) {
    let arrived = taken + place.replacedCount + place.countInOrder
    guard let key else { return last = arrived }
    // The one that was taken last may not be decided yet.
    if !lastOf.isEmpty { lastOf = lastOf.filter { $0.value >= taken } }
    lastOf[key] = arrived
  }

  /// The number of the one that was just taken, or skipped. If others are replaced between the take and this look, it
  /// counts as one that came later.
  mutating func takeOne(from place: ConsumerPlace?) -> Int {
    taken += 1
    return taken + (place?.replacedCount ?? 0)
  }

  func isLate(_ number: Int, _ key: AnswerKey?) -> Bool {
    number <= (key.map { lastOf[$0] ?? 0 } ?? last)
  }
}
