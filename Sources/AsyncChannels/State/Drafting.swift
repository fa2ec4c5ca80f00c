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
  private(set) var mark: SentMark?
  /// What was published last that is no decision on the draft.
  private var before: Published<Value>?

  typealias Seen = (number: Int, isTaken: Bool, before: Published<Value>?)

  /// - Returns: What it was before: what is in that is destroyed with no lock held.
  mutating func begin(
    _ value: Value, markedBy mark: SentMark?, insteadOf before: Published<Value>?
  ) -> Self {
    let old = self
    // While there is a draft, what is published is noted.
    if draft == nil { self.before = before }
    (draft, self.mark) = (value, mark)
    number += 1
    return old
  }

  /// The draft, and whether all subscribers of the owner's input have taken it: one step, so that no other
  /// write comes in between. Nil if there is no draft.
  func look(into log: BroadcastLogBase?) -> Seen? {
    guard draft != nil else { return nil }
    let isTaken = mark.map { log?.isTaken($0) ?? true } ?? true
    return (number, isTaken, before)
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

  /// Ends the draft. Returns what it was before, as `begin` does.
  mutating func end() -> Self {
    defer { (draft, mark, before) = (nil, nil, nil) }
    return self
  }
}
