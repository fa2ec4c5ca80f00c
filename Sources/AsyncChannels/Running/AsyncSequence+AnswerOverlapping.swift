extension AsyncSequence where Self: Sendable, Element: Sendable, Failure == Never {
  /// Does asynchronous work for elements that have an overlap of their own. Each element decides what happens if it
  /// arrives while earlier ones are worked on. Use it if inputs share what they change: a refresh replaces what is
  /// being loaded, and a request for more is ignored meanwhile.
  ///
  /// ```swift
  /// await _load.received.answer(overlap: \.overlap, busy: _isLoading.inlet, by: page) { load, page in
  ///   switch load {
  ///   case .refresh: self.posts = page   // whose overlap is .latestOnly
  ///   case .more: self.posts += page     // whose overlap is .firstOnly
  ///   }
  /// }
  /// ```
  ///
  /// The overlap of an element says what becomes of it and of the work in progress, whatever the overlaps of
  /// earlier elements are:
  ///
  /// - ``Overlap/latestOnly``: all work in progress is cancelled, its answers are discarded, and the new work begins.
  /// - ``Overlap/firstOnly``: the element is ignored if work was in progress when it arrived.
  /// - ``Overlap/concurrent``: the work begins beside the other.
  /// - ``Overlap/oneAtATime``: the work waits until all answers before it are published. Later elements wait until
  ///   its own answer is published, so nothing supersedes it. If the call is cancelled meanwhile, its work is
  ///   called in the cancelled task.
  ///
  /// Elements are decided one after the other, in order. Of several with ``Overlap/latestOnly`` that are ready in a
  /// row, work on the newest begins. There is no `after:`: a pause would supersede commands that must not be lost.
  ///
  /// Cancelling is as with ``_Concurrency/AsyncSequence/answer(_:after:clock:busy:isBusyInPause:ignored:by:abandoned:publish:)-(_,_,_,_,_,_,_,_,(Answer)->Void)``.
  /// From combined state, and from a sequence that is neither a subscription nor an outlet or a state, an element
  /// arrives when the call reads it. Each element has a task with the caller's priority and task-local values, without its executor preference,
  /// except for those with ``Overlap/oneAtATime``, whose work runs in the caller's task.
  ///
  /// - Parameters:
  ///   - overlap: The overlap of an element. It is called once for each element, on any thread. Declare a property
  ///     for it `nonisolated` if the module's default isolation is the main actor.
  ///   - busy: Receives `true` when work begins, and `false` when none is left. While another element is ready, it
  ///     stays `true`. If that is then ignored, `false` follows the answer instead of preceding it.
  ///   - ignored: Receives each element that is ignored, once, in the isolation of `publish`, when the call looks at
  ///     it. This may be after the answer to the element that was worked on.
  ///   - work: Makes the answer.
  ///   - abandoned: Called with each element that the call has taken and will not answer because it was cancelled,
  ///     once, as in the other forms of `answer`.
  ///   - publish: Called with each element and its answer in the isolation in which the closure was made, one at
  ///     a time.
  public func answer<Answer: Sendable>(
    overlap: @escaping @Sendable (Element) -> Overlap, busy: Inlet<Bool>? = nil,
    ignored: Inlet<Element>? = nil,
    by work: @escaping @Sendable (Element) async -> Answer,
    @_inheritActorContext
    abandoned: (@isolated(any) @Sendable (Element) -> Void)? = nil,
    @_inheritActorContext
    publish: @escaping @isolated(any) @Sendable (Element, Answer) -> Void
  ) async {
    await answer(
      nil, overlapOf: overlap, after: .zero, clock: ContinuousClock(), busy: busy,
      isBusyInPause: false, ignored: ignored, by: .silent(work),
      abandoned: abandoned, to: .both(publish))
  }

  /// As `answer(overlap:)`, for work that can throw: `publish` gets the element and a `Result`.
  @_disfavoredOverload
  public func answer<Answer: Sendable, WorkFailure: Error>(
    overlap: @escaping @Sendable (Element) -> Overlap, busy: Inlet<Bool>? = nil,
    ignored: Inlet<Element>? = nil,
    by work: @escaping @Sendable (Element) async throws(WorkFailure) -> Answer,
    @_inheritActorContext
    abandoned: (@isolated(any) @Sendable (Element) -> Void)? = nil,
    @_inheritActorContext
    publish: @escaping @isolated(any) @Sendable (Element, Result<Answer, WorkFailure>) -> Void
  ) async {
    await answer(
      nil, overlapOf: overlap, after: .zero, clock: ContinuousClock(), busy: busy,
      isBusyInPause: false, ignored: ignored, by: .trying(work),
      abandoned: abandoned, to: .both(publish))
  }
}
