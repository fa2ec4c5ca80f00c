import AsyncChannels

/// What happens to one input that arrives while earlier ones are worked on. ``OverlapRule/each(_:)`` asks each element.
public enum Overlap: Sendable, Hashable, CaseIterable {
  /// The new input waits. Inputs are worked on one after the other, in order, and each is answered. Use it
  /// for commands.
  case oneAtATime

  /// The new input replaces the earlier one, whose work is cancelled. If the cancelled work returns an
  /// answer, it is discarded, so an older answer is never published after a newer one. Use it for a search.
  case latestOnly

  /// The new input is ignored, until the answer to the earlier one is published. Use it for a button that may
  /// be tapped twice. Each ignored input is sent to the inlet `ignored`.
  case firstOnly

  /// Both inputs are worked on concurrently, and each answer is published as soon as it is there, in any
  /// order. Use it for independent inputs, such as images to load.
  case concurrent
}

/// What `answer` does with an input that arrives while earlier ones are worked on: the same for all, or what each says.
public struct OverlapRule<Element>: Sendable {
  /// Nil if each element has its own.
  let fixed: Overlap?
  let of: @Sendable (Element) -> Overlap
  /// Nil if what an element does concerns all work.
  let key: (@Sendable (Element) -> AnswerKey)?
  let limit: Int

  /// The same overlap for all elements.
  public init(_ overlap: Overlap) {
    self.init(overlap, of: { _ in overlap })
  }

  private init(
    _ fixed: Overlap?, of overlap: @escaping @Sendable (Element) -> Overlap,
    key: (@Sendable (Element) -> AnswerKey)? = nil, atMost limit: Int = .max
  ) {
    if limit < 1 {
      Misuse.trap("An answer to \(Element.self) cannot work on at most \(limit): it is at least 1.")
    }
    (self.fixed, of, self.key, self.limit) = (fixed, overlap, key, limit)
  }

  private init<Key: Hashable & Sendable>(
    _ overlap: Overlap, by key: @escaping @Sendable (Element) -> Key, atMost limit: Int
  ) {
    self.init(nil, of: { _ in overlap }, key: { AnswerKey(key($0)) }, atMost: limit)
  }

  /// Inputs are worked on one after the other. See ``Overlap/oneAtATime``.
  public static var oneAtATime: Self { Self(.oneAtATime) }

  /// A new input replaces the earlier one. See ``Overlap/latestOnly``.
  public static var latestOnly: Self { Self(.latestOnly) }

  /// A new input is ignored. See ``Overlap/firstOnly``.
  public static var firstOnly: Self { Self(.firstOnly) }

  /// Inputs are worked on concurrently. See ``Overlap/concurrent``.
  public static var concurrent: Self { Self(.concurrent) }

  /// Each element decides what happens if it arrives while earlier ones are worked on. Use it if inputs share what
  /// they change: a refresh replaces what is being loaded, and a request for more is ignored meanwhile.
  ///
  /// ```swift
  /// await _load.received.answer(.each(\.overlap), busy: _isLoading.inlet, by: page) { load, page in
  ///   switch load {
  ///   case .refresh: self.posts = page   // whose overlap is .latestOnly
  ///   case .more: self.posts += page     // whose overlap is .firstOnly
  ///   }
  /// }
  /// ```
  ///
  /// The overlap of an element says what becomes of it and of all work in progress, whatever the overlaps of
  /// earlier elements are. One with ``Overlap/oneAtATime`` waits until all answers before it are published, and later
  /// elements wait until its own answer is published: nothing supersedes it. If the call is cancelled meanwhile, its
  /// work is called in the cancelled task.
  ///
  /// Elements are decided one after the other, in order. Of several with ``Overlap/latestOnly`` that are ready in a
  /// row, work on the newest begins. Traps with a pause, which would supersede commands that must not be lost. From
  /// combined state, and from a sequence that is neither a subscription nor an outlet or a state, an element arrives
  /// when the call reads it. If an element is ready when the last answer is published, and is then ignored, `busy`
  /// becomes false after that answer instead of before. Each element has a task without the caller's executor preference,
  /// except for those with ``Overlap/oneAtATime``.
  ///
  /// - Parameter overlap: Called once for each element, on any thread. Declare a property for it `nonisolated` if the
  ///   module's default isolation is the main actor.
  public static func each(_ overlap: @escaping @Sendable (Element) -> Overlap) -> Self {
    Self(nil, of: overlap)
  }

  /// Inputs are worked on concurrently, but at most so many at a time. Later ones stay in the subscription.
  ///
  /// - Parameter limit: Traps if it is less than 1.
  public static func concurrent(atMost limit: Int) -> Self {
    Self(.concurrent, of: { _ in .concurrent }, atMost: limit)
  }

  /// Inputs with the same key are worked on one after the other, beside those with other keys. Use it for the changes
  /// of rows.
  ///
  /// Work on an input begins when the work before it has ended. An input that waits for that was taken: it counts to the
  /// limit, and a cancelled call abandons it. Each has a task. A call with keys cannot have a pause.
  ///
  /// - Parameters:
  ///   - key: Called once for each input, on any thread.
  ///   - limit: The number of inputs that are taken and not answered: later ones stay in the subscription. Traps if it is
  ///     less than 1.
  public static func oneAtATime<Key: Hashable & Sendable>(
    by key: @escaping @Sendable (Element) -> Key, atMost limit: Int = .max
  ) -> Self { Self(.oneAtATime, by: key, atMost: limit) }

  /// A new input replaces the earlier one with the same key, whose work is cancelled. Use it for a heart in each row:
  /// `.latestOnly(by: \.post)`. Everything else is as with ``oneAtATime(by:atMost:)``.
  public static func latestOnly<Key: Hashable & Sendable>(
    by key: @escaping @Sendable (Element) -> Key, atMost limit: Int = .max
  ) -> Self { Self(.latestOnly, by: key, atMost: limit) }

  /// A new input is ignored until the earlier one with the same key is answered. Use it for a button in each row.
  /// Everything else is as with ``oneAtATime(by:atMost:)``.
  public static func firstOnly<Key: Hashable & Sendable>(
    by key: @escaping @Sendable (Element) -> Key, atMost limit: Int = .max
  ) -> Self { Self(.firstOnly, by: key, atMost: limit) }
}

/// Which other inputs an input concerns.
final class AnswerKey: Hashable, Sendable {
  private let base: any Hashable & Sendable

  init(_ base: some Hashable & Sendable) { self.base = base }

  static func == (one: AnswerKey, other: AnswerKey) -> Bool {
    AnyHashable(one.base) == AnyHashable(other.base)
  }

  func hash(into hasher: inout Hasher) { hasher.combine(base) }
}
