/// Answers that come from several tasks and are published one by one: the task that finds nobody publishing
/// goes on until none is left.
struct Answers {
  private var waiting: [AnyAnswer] = []
  private var isPublishing = false

  /// Whether the caller is to publish its answer now, and then what comes next: nobody else does.
  mutating func begin(or wait: () -> AnyAnswer) -> Bool {
    if isPublishing {
      waiting.append(wait())
      return false
    }
    isPublishing = true
    return true
  }

  /// What the caller is to publish next; none if it is done.
  mutating func takeNext() -> [AnyAnswer] {
    isPublishing = !waiting.isEmpty
    return exchange(&waiting, with: [])
  }
}

class AnyAnswer {}

/// An answer that waits.
final class WaitingAnswer<Element: Sendable, Answer: Sendable>: AnyAnswer {
  let answer: Answer
  let turn: Turn<Element>

  init(_ answer: Answer, of turn: Turn<Element>) {
    (self.answer, self.turn) = (answer, turn)
  }
}
