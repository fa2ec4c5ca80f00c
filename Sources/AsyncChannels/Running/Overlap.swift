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

  /// The same overlap for all elements.
  public init(_ overlap: Overlap) {
    (fixed, of) = (overlap, { _ in overlap })
  }

  private init(each overlap: @escaping @Sendable (Element) -> Overlap) {
    (fixed, of) = (nil, overlap)
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
  /// row, work on the newest begins. Traps with a debounce, which would supersede commands that must not be lost. From
  /// combined state, and from a sequence that is neither a subscription nor an outlet or a state, an element arrives
  /// when the call reads it. If an element is ready when the last answer is published, and is then ignored, `busy`
  /// becomes false after that answer instead of before. Each element has a task without the caller's executor preference,
  /// except for those with ``Overlap/oneAtATime``.
  ///
  /// - Parameter overlap: Called once for each element, on any thread. Declare a property for it `nonisolated` if the
  ///   module's default isolation is the main actor.
  public static func each(_ overlap: @escaping @Sendable (Element) -> Overlap) -> Self {
    Self(each: overlap)
  }
}
