/// How many of the elements that are ready came before the last answer was published.
struct LateElements {
  private var count = 0
  /// How many had been replaced when they were counted.
  private var replaced = 0

  init() {}

  init(readyIn place: ConsumerPlace) {
    (count, replaced) = (place.countInOrder, place.replacedCount)
  }

  /// Whether the one that was just taken, or skipped, is one of them. Those that were replaced are not left. If others
  /// are replaced between the take and this look, it counts as one that came later.
  mutating func takeOne(from place: ConsumerPlace?) -> Bool {
    if count > 0, let place, place.replacesOld {
      let all = place.replacedCount
      count = max(0, count - (all - replaced))
      replaced = all
    }
    guard count > 0 else { return false }
    count -= 1
    return true
  }
}
