/// Answers that know their question, and work that reports its progress.
extension AsyncSequence where Self: Sendable, Element: Sendable, Failure == Never {
  /// Answers each element with asynchronous work, and publishes the answer with its element: for cells that
  /// are reused, pages, and switches that are set before the server has agreed.
  ///
  /// ```swift
  /// await _load.received.answer(.concurrent, by: loader.load) { id, image in
  ///   self.images[id] = image
  /// }
  /// ```
  ///
  /// The rest is as with ``_Concurrency/AsyncSequence/answer(_:after:clock:busy:isBusyInPause:ignored:by:publish:)-(_,_,_,_,_,_,_,(Answer)->Void)``.
  public func answer<Answer: Sendable>(
    _ overlap: Overlap = .oneAtATime, after quiet: Duration = .zero,
    clock: some Clock<Duration> = ContinuousClock(), busy: Inlet<Bool>? = nil,
    isBusyInPause: Bool = false, ignored: Inlet<Element>? = nil,
    by work: @escaping @Sendable (Element) async -> Answer,
    @_inheritActorContext
    publish: @escaping @isolated(any) @Sendable (Element, Answer) -> Void
  ) async {
    await answer(
      overlap, after: quiet, clock: clock, busy: busy, isBusyInPause: isBusyInPause,
      ignored: ignored, by: .silent(work), to: .both(publish))
  }

  /// The same with work that can fail: the answer is a `Result`.
  @_disfavoredOverload
  public func answer<Answer: Sendable, WorkFailure: Error>(
    _ overlap: Overlap = .oneAtATime, after quiet: Duration = .zero,
    clock: some Clock<Duration> = ContinuousClock(), busy: Inlet<Bool>? = nil,
    isBusyInPause: Bool = false, ignored: Inlet<Element>? = nil,
    by work: @escaping @Sendable (Element) async throws(WorkFailure) -> Answer,
    @_inheritActorContext
    publish: @escaping @isolated(any) @Sendable (Element, Result<Answer, WorkFailure>) -> Void
  ) async {
    let attempt: @Sendable (Element) async -> Result<Answer, WorkFailure> = { element in
      do throws(WorkFailure) {
        return .success(try await work(element))
      } catch {
        return .failure(error)
      }
    }
    await answer(
      overlap, after: quiet, clock: clock, busy: busy, isBusyInPause: isBusyInPause,
      ignored: ignored, by: .silent(attempt), to: .both(publish))
  }

  /// Answers each element with work that reports its progress: a download.
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
  /// What work sends to its inlet is published in order, before its answer. When the work was superseded or
  /// its call cancelled, the inlet goes silent: `send` returns `.finished`, and nothing of what was sent
  /// before is published any more. So no progress comes late. The same holds after the work has returned.
  ///
  /// Each element costs a channel and a task more. The rest is as with
  /// ``_Concurrency/AsyncSequence/answer(_:after:clock:busy:isBusyInPause:ignored:by:publish:)-(_,_,_,_,_,_,_,(Answer)->Void)``.
  ///
  /// The inlet may be used from any thread. `progress` is called in the isolation in which that closure was
  /// made, never while an answer is published, if that is the isolation of `publish`.
  public func answer<Answer: Sendable, Progress: Sendable>(
    _ overlap: Overlap = .oneAtATime, after quiet: Duration = .zero,
    clock: some Clock<Duration> = ContinuousClock(), busy: Inlet<Bool>? = nil,
    isBusyInPause: Bool = false, ignored: Inlet<Element>? = nil,
    by work: @escaping @Sendable (Element, Inlet<Progress>) async -> Answer,
    @_inheritActorContext
    progress: @escaping @isolated(any) @Sendable (Element, Progress) -> Void,
    @_inheritActorContext
    publish: @escaping @isolated(any) @Sendable (Element, Answer) -> Void
  ) async {
    await answer(
      overlap, after: quiet, clock: clock, busy: busy, isBusyInPause: isBusyInPause,
      ignored: ignored, by: .reporting(work, to: progress), to: .both(publish))
  }

  /// The same with work that can fail: the answer is a `Result`.
  @_disfavoredOverload
  public func answer<Answer: Sendable, Progress: Sendable, WorkFailure: Error>(
    _ overlap: Overlap = .oneAtATime, after quiet: Duration = .zero,
    clock: some Clock<Duration> = ContinuousClock(), busy: Inlet<Bool>? = nil,
    isBusyInPause: Bool = false, ignored: Inlet<Element>? = nil,
    by work: @escaping @Sendable (Element, Inlet<Progress>) async throws(WorkFailure) -> Answer,
    @_inheritActorContext
    progress: @escaping @isolated(any) @Sendable (Element, Progress) -> Void,
    @_inheritActorContext
    publish: @escaping @isolated(any) @Sendable (Element, Result<Answer, WorkFailure>) -> Void
  ) async {
    let attempt: @Sendable (Element, Inlet<Progress>) async -> Result<Answer, WorkFailure> = {
      element, progress in
      do throws(WorkFailure) {
        return .success(try await work(element, progress))
      } catch {
        return .failure(error)
      }
    }
    await answer(
      overlap, after: quiet, clock: clock, busy: busy, isBusyInPause: isBusyInPause,
      ignored: ignored, by: .reporting(attempt, to: progress), to: .both(publish))
  }
}
