/// What a derived state was at some moment.
struct Published<Value: Sendable>: Sendable {
  let value: Value
  /// How many publications there were before it was read.
  let version: Int
  /// Whether none came while it was read. If one did, whoever published it notes what it was.
  let isCurrent: Bool
}

/// What a ``SplitBinding`` has written and its owner has not decided on.
struct Drafting<Value: Sendable>: Sendable {
  /// What was written last; nil when the owner has decided.
  private(set) var draft: Value?
  /// How many times something was written.
  private(set) var number = 0
  /// The place of the draft in the owner's input, if that is a channel.
  private var mark: SentMark?
  /// What was published last that is no decision on the draft.
  private var before: Published<Value>?

  struct Seen: Sendable {
    let number: Int
    let isTaken: Bool
    let before: Published<Value>?
  }

  /// What was replaced: to be destroyed with no lock held.
  struct Old: Sendable {
    let draft: Value?
    let mark: SentMark?
    let before: Published<Value>?
  }

  private var old: Old { Old(draft: draft, mark: mark, before: before) }

  mutating func begin(
    _ value: Value, markedBy mark: SentMark?, insteadOf before: Published<Value>?
  ) -> Old {
    let replaced = old
    // While there is a draft, what is published is noted.
    if draft == nil { self.before = before }
    (draft, self.mark) = (value, mark)
    number += 1
    return replaced
  }

  /// The draft, and whether all subscribers of the owner's input have taken it: one step, so that no other
  /// write comes in between. Nil if there is no draft.
  func look(into log: BroadcastLogBase?) -> Seen? {
    guard draft != nil else { return nil }
    let isTaken = mark.map { log?.isTaken($0) ?? true } ?? true
    return Seen(number: number, isTaken: isTaken, before: before)
  }

  /// Notes what was published and is no decision.
  ///
  /// - Returns: What was replaced, to be destroyed with no lock held.
  mutating func note(_ published: Published<Value>) -> Published<Value>? {
    guard draft != nil, published.isCurrent, published.version >= before?.version ?? 0 else {
      return published
    }
    return exchange(&before, with: published)
  }

  /// Ends the draft.
  mutating func end() -> Old {
    defer { (draft, mark, before) = (nil, nil, nil) }
    return old
  }
}
