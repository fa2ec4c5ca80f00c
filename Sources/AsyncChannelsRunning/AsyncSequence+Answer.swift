public import AsyncChannels

extension AsyncSequence where Self: Sendable, Element: Sendable, Failure == Never {
  /// Does asynchronous work for each element and publishes the answers, one by one. Use it for an input that
  /// takes time, with or without a debounce.
  ///
  /// ```swift
  /// public func run() async {
  ///   await _query.received.answer(.latestOnly, debounce: .milliseconds(300), by: index.search) {
  ///     self.hits = $1
  ///   }
  /// }
  /// ```
  ///
  /// Each element that the call takes is answered, superseded, ignored or, if the call is cancelled, abandoned. The
  /// work runs outside the isolation of `publish`. The call subscribes when it begins, or consumes the
  /// `Subscription` that it is called on. It returns when the sequence has ended and the last answer was published.
  ///
  /// **In other words.** ``OverlapRule/latestOnly`` is `switchMap` (`flatMapLatest`), ``OverlapRule/firstOnly`` is
  /// `exhaustMap`, ``OverlapRule/oneAtATime`` is `concatMap`, ``OverlapRule/concurrent`` is `mergeMap` (`flatMap`).
  ///
  /// - **Cancel**: cancelling the caller's task cancels the work in progress, whose answers are not published:
  ///   `abandoned` receives the elements. The call returns when all work that it began has ended. An element is
  ///   taken when its work begins, and not before. Once `cancel()` has returned, the call takes nothing more.
  ///   Elements that it has not taken stay in the `Subscription` for the next call, which may begin before a
  ///   cancelled one has returned. If `cancel()` comes between the take and the work, the work is called in a
  ///   cancelled task.
  /// - **Pause**: with `debounce`, work begins on the newest element when none has arrived for that long. Earlier
  ///   elements are superseded. When the sequence ends, work begins immediately. During the pause the elements
  ///   stay in the subscription, so a cancelled call loses none of them, and the next consumer finds them.
  ///   With `.latestOnly`, a new element cancels the work in progress immediately, so no older answer is
  ///   published during the pause. With `.oneAtATime`, the pause begins when the previous work has ended.
  /// - **Derived subscriptions**: elements that are filtered out count as having arrived, and work is cancelled
  ///   only when newer work begins.
  /// - **Other sequences**: if the sequence is neither a `Subscription` nor an outlet or a state, elements that
  ///   a cancelled call has read for a pause are lost.
  /// - **Costs**: one at a time, the work runs in the caller's task. Otherwise each element has a task, with the
  ///   caller's priority and task-local values. After 64 elements or a millisecond, the call lets others use
  ///   the isolation.
  ///
  /// - Parameters:
  ///   - overlap: What happens to an element that arrives while an earlier one is worked on.
  ///   - debounce: How long the input must stay quiet before work begins.
  ///   - interval: How much time must pass from the beginning of work until the next work may begin: a throttle. The
  ///     first begins immediately, and later ones on the newest element; those before it are superseded. Traps if it
  ///     is not positive. With `.latestOnly`, work in progress is then superseded only when newer work begins.
  ///   - clock: The clock that measures time. Its `sleep` must return when its task is cancelled.
  ///   - busy: Receives `true` when work begins, and `false` when no work remains whose answer will be
  ///     published: just before the last answer, or in the isolation of `publish` after the call was cancelled,
  ///     never inside `cancel()`. It stays `true` while another element is ready whose work will begin. A pause
  ///     is not work. Calls with equal inlets report together: a cancelled call does not report
  ///     `false` while the next one works. An inlet that is made with a function in each call equals no other.
  ///   - busyFromArrival: Whether `busy` is also `true` while an element waits for its pause to end. Use
  ///     it for a form that must not be submitted before its newest text was checked.
  ///   - ignored: Receives each element that `.firstOnly` ignores, once, in the isolation of `publish`, and no
  ///     later than the answer to the element that was worked on. To count them:
  ///     `_ignoredCount.inlet { count, _ in count += 1 }`, with a `CurrentValue`. With a pause, an element
  ///     counts as having arrived when its pause is over, and those before it are superseded.
  ///   - work: Makes the answer. Superseded work is cancelled. Newer work does not wait for it to end, but
  ///     `answer` does not return until it has.
  ///   - abandoned: Called with each element that the call has taken and will not answer because it was cancelled,
  ///     once, in the isolation in which the closure was made, in the order in which the elements were taken. Use it
  ///     to take back what the screen shows of work in progress. It does not wait for the cancelled work to end, and
  ///     is called before this call returns, and before a later call on the same `Subscription` takes anything. An
  ///     element whose work has cancelled its own task is kept until then.
  ///   - publish: Called with each element and its answer in the isolation in which the closure was made, one answer
  ///     at a time.
  public func answer<Answer: Sendable>(
    _ overlap: OverlapRule<Element> = .oneAtATime, debounce: Debounce<Element>? = nil,
    atMostEvery interval: Duration? = nil, clock: some Clock<Duration> = ContinuousClock(),
    busy: Inlet<Bool>? = nil, busyFromArrival: Bool = false, ignored: Inlet<Element>? = nil,
    by work: @escaping @Sendable (Element) async -> Answer,
    @_inheritActorContext abandoned: (@isolated(any) @Sendable (Element) -> Void)? = nil,
    @_inheritActorContext publish: @escaping @isolated(any) @Sendable (Element, Answer) -> Void
  ) async {
    let options = AnswerOptions(
      overlap, debounce, interval, on: clock, busy, busyFromArrival, ignored, abandoned)
    await answer(options, by: .silent(work), publish: publish)
  }

  /// Does work that can throw for each element: `publish` gets the element and a `Result` with the error's type.
  ///
  /// ```swift
  /// await _signIn.received.answer(busy: _signingIn.inlet, by: authenticator.authenticate) {
  ///   self._signInResult.send($1)   // a Result<Token, AuthError>
  /// }
  /// ```
  ///
  /// With `retry`, work that throws is called again after a pause, on the call's clock: ``Retry``. The element is worked
  /// on until then. If it is superseded or the call is cancelled meanwhile, the work is not called again. Everything else
  /// is as with work that cannot fail. If work throws after it was superseded or its call was cancelled, it has no answer.
  @_disfavoredOverload
  public func answer<Answer: Sendable, WorkFailure: Error>(
    _ overlap: OverlapRule<Element> = .oneAtATime, debounce: Debounce<Element>? = nil,
    atMostEvery interval: Duration? = nil, clock: some Clock<Duration> = ContinuousClock(),
    busy: Inlet<Bool>? = nil, busyFromArrival: Bool = false, ignored: Inlet<Element>? = nil,
    retry: Retry? = nil,
    by work: @escaping @Sendable (Element) async throws(WorkFailure) -> Answer,
    @_inheritActorContext abandoned: (@isolated(any) @Sendable (Element) -> Void)? = nil,
    @_inheritActorContext
    publish: @escaping @isolated(any) @Sendable (Element, Result<Answer, WorkFailure>) -> Void
  ) async {
    let options = AnswerOptions(
      overlap, debounce, interval, on: clock, busy, busyFromArrival, ignored, abandoned)
    await answer(options, by: .trying(work, retry, on: options.clock), publish: publish)
  }

  /// Does work that reports its progress for each element. Use it for a download.
  ///
  /// ```swift
  /// await _download.received.answerWithProgress(.latestOnly) { url, progress in
  ///   await server.load(url) { progress.send($0) }
  /// } progress: { url, fraction in
  ///   self.fraction = fraction
  /// } publish: { url, file in
  ///   self.file = file.get()   // a Result: get() throws what the work throws
  /// }
  /// ```
  ///
  /// Progress that the work sends to its inlet is published in order, before the answer. Once the work was
  /// superseded or its call was cancelled, `send` returns `.finished`, and progress that was sent before is
  /// not published. So no progress arrives late. After the work has returned, `send` returns `.finished`,
  /// too. The inlet may be used from any thread. `progress` is called in the isolation in which that closure was
  /// made. If this is also the isolation of `publish`, `progress` is never called while an answer is published.
  ///
  /// With `retry`, the work is called for each attempt, so its progress can tell of each.
  ///
  /// Each element costs an additional channel and an additional task. Everything else is as with `answer`.
  public func answerWithProgress<Answer: Sendable, Progress: Sendable, WorkFailure: Error>(
    _ overlap: OverlapRule<Element> = .oneAtATime, debounce: Debounce<Element>? = nil,
    atMostEvery interval: Duration? = nil, clock: some Clock<Duration> = ContinuousClock(),
    busy: Inlet<Bool>? = nil, busyFromArrival: Bool = false, ignored: Inlet<Element>? = nil,
    retry: Retry? = nil,
    by work: @escaping @Sendable (Element, Inlet<Progress>) async throws(WorkFailure) -> Answer,
    @_inheritActorContext
    progress: @escaping @isolated(any) @Sendable (Element, Progress) -> Void,
    @_inheritActorContext abandoned: (@isolated(any) @Sendable (Element) -> Void)? = nil,
    @_inheritActorContext
    publish: @escaping @isolated(any) @Sendable (Element, Result<Answer, WorkFailure>) -> Void
  ) async {
    let options = AnswerOptions(
      overlap, debounce, interval, on: clock, busy, busyFromArrival, ignored, abandoned)
    await answer(
      options, by: .reporting(work, to: progress, retry, on: options.clock), publish: publish)
  }
}
