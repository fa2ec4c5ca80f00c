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
  /// Whether the owner's input, if that is a channel, has got the draft.
  private(set) var receipt: Receipt?
  /// What was published last that is no decision on the draft.
  private var before: Published<Value>?

  typealias Seen = (number: Int, isTaken: Bool, before: Published<Value>?)

  /// - Returns: What it was before: what is in that is destroyed with no lock held.
  mutating func begin(_ value: Value, _ receipt: Receipt?) -> Self {
    let old = self
    (draft, self.receipt) = (value, receipt)
    number += 1
    return old
  }

  /// The draft, and whether all subscribers of the owner's input have taken it: one step, so that no other
  /// write comes in between. Nil if there is no draft.
  func look() -> Seen? {
    draft == nil ? nil : (number, receipt?.isTaken ?? true, before)
  }

  /// Remembers what was published and is no decision.
  ///
  /// - Returns: What was replaced, to be destroyed with no lock held.
  mutating func remember(_ published: Published<Value>) -> Published<Value>? {
    guard draft != nil, published.isCurrent, published.version >= before?.version ?? 0 else {
      return published
    }
    return exchange(&before, with: published)
  }

  /// Ends the draft. Returns what it was before, as `begin` does.
  mutating func end() -> Self {
    defer { (draft, receipt, before) = (nil, nil, nil) }
    return self
  }
}
