extension AsyncSequence where Self: Sendable, Element: Sendable, Failure == Never {
  /// Does asynchronous work for each element, and publishes each answer with its element. Use it for reused
  /// cells, pages, and switches that are set before the server has agreed.
  ///
  /// ```swift
  /// await _load.received.answer(.concurrent, by: loader.load) { id, image in
  ///   self.images[id] = image
  /// }
  /// ```
  ///
  /// Everything else is as with ``_Concurrency/AsyncSequence/answer(_:after:clock:busy:isBusyInPause:ignored:by:abandoned:publish:)-(_,_,_,_,_,_,_,_,(Answer)->Void)``.
  public func answer<Answer: Sendable>(
    _ overlap: Overlap = .oneAtATime, after quiet: Duration = .zero,
    clock: some Clock<Duration> = ContinuousClock(), busy: Inlet<Bool>? = nil,
    isBusyInPause: Bool = false, ignored: Inlet<Element>? = nil,
    by work: @escaping @Sendable (Element) async -> Answer,
    @_inheritActorContext
    abandoned: (@isolated(any) @Sendable (Element) -> Void)? = nil,
    @_inheritActorContext
    publish: @escaping @isolated(any) @Sendable (Element, Answer) -> Void
  ) async {
    await answer(
      overlap, after: quiet, clock: clock, busy: busy, isBusyInPause: isBusyInPause,
      ignored: ignored, by: .silent(work),
      abandoned: abandoned, to: .both(publish))
  }

  /// Does work that can throw for each element: `publish` gets the element and a `Result`.
  @_disfavoredOverload
  public func answer<Answer: Sendable, WorkFailure: Error>(
    _ overlap: Overlap = .oneAtATime, after quiet: Duration = .zero,
    clock: some Clock<Duration> = ContinuousClock(), busy: Inlet<Bool>? = nil,
    isBusyInPause: Bool = false, ignored: Inlet<Element>? = nil,
    by work: @escaping @Sendable (Element) async throws(WorkFailure) -> Answer,
    @_inheritActorContext
    abandoned: (@isolated(any) @Sendable (Element) -> Void)? = nil,
    @_inheritActorContext
    publish: @escaping @isolated(any) @Sendable (Element, Result<Answer, WorkFailure>) -> Void
  ) async {
    await answer(
      overlap, after: quiet, clock: clock, busy: busy, isBusyInPause: isBusyInPause,
      ignored: ignored, by: .trying(work),
      abandoned: abandoned, to: .both(publish))
  }

  /// Does work that reports its progress for each element. Use it for a download.
  ///
  /// ```swift
  /// await _download.received.answer(.latestOnly) { url, progress in
  ///   await server.load(url) { progress.send($0) }
  /// } progress: { url, fraction in
  ///   self.fraction = fraction
  /// } publish: { url, file in
  ///   self.file = file
  /// }
  /// ```
  ///
  /// Progress that the work sends to its inlet is published in order, before the answer. Once the work was
  /// superseded or its call was cancelled, `send` returns `.finished`, and progress that was sent before is
  /// not published. So no progress arrives late. After the work has returned, `send` returns `.finished`,
  /// too.
  ///
  /// Each element costs an additional channel and an additional task. Everything else is as with
  /// ``_Concurrency/AsyncSequence/answer(_:after:clock:busy:isBusyInPause:ignored:by:abandoned:publish:)-(_,_,_,_,_,_,_,_,(Answer)->Void)``.
  ///
  /// The inlet may be used from any thread. `progress` is called in the isolation in which that closure was
  /// made. If this is also the isolation of `publish`, `progress` is never called while an answer is
  /// published.
  public func answer<Answer: Sendable, Progress: Sendable>(
    _ overlap: Overlap = .oneAtATime, after quiet: Duration = .zero,
    clock: some Clock<Duration> = ContinuousClock(), busy: Inlet<Bool>? = nil,
    isBusyInPause: Bool = false, ignored: Inlet<Element>? = nil,
    by work: @escaping @Sendable (Element, Inlet<Progress>) async -> Answer,
    @_inheritActorContext
    progress: @escaping @isolated(any) @Sendable (Element, Progress) -> Void,
    @_inheritActorContext
    abandoned: (@isolated(any) @Sendable (Element) -> Void)? = nil,
    @_inheritActorContext
    publish: @escaping @isolated(any) @Sendable (Element, Answer) -> Void
  ) async {
    await answer(
      overlap, after: quiet, clock: clock, busy: busy, isBusyInPause: isBusyInPause,
      ignored: ignored, by: .reporting(work, to: progress),
      abandoned: abandoned, to: .both(publish))
  }

  /// Does work that reports its progress and can fail for each element. The answer is a `Result`.
  @_disfavoredOverload
  public func answer<Answer: Sendable, Progress: Sendable, WorkFailure: Error>(
    _ overlap: Overlap = .oneAtATime, after quiet: Duration = .zero,
    clock: some Clock<Duration> = ContinuousClock(), busy: Inlet<Bool>? = nil,
    isBusyInPause: Bool = false, ignored: Inlet<Element>? = nil,
    by work: @escaping @Sendable (Element, Inlet<Progress>) async throws(WorkFailure) -> Answer,
    @_inheritActorContext
    progress: @escaping @isolated(any) @Sendable (Element, Progress) -> Void,
    @_inheritActorContext
    abandoned: (@isolated(any) @Sendable (Element) -> Void)? = nil,
    @_inheritActorContext
    publish: @escaping @isolated(any) @Sendable (Element, Result<Answer, WorkFailure>) -> Void
  ) async {
    let attempt: @Sendable (Element, Inlet<Progress>) async -> Result<Answer, WorkFailure> = {
      element, progress in
      await Result { () async throws(WorkFailure) in try await work(element, progress) }
    }
    await answer(
      overlap, after: quiet, clock: clock, busy: busy, isBusyInPause: isBusyInPause,
      ignored: ignored, by: .reporting(attempt, to: progress),
      abandoned: abandoned, to: .both(publish))
  }
}
