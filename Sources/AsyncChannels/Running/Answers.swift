/// Answers that come from several tasks and are published one by one: the task that finds nobody publishing
/// goes on until none is left.
struct Answers {
  private var waiting: [AnyAnswer] = []
  /// Those that are next, the first of them last.
  private var next: [AnyAnswer] = []
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

  /// What the caller is to publish next; nil if it is done.
  mutating func takeNext() -> AnyAnswer? {
    if next.isEmpty, !waiting.isEmpty { next = exchange(&waiting, with: []).reversed() }
    isPublishing = !next.isEmpty
    return next.popLast()
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
