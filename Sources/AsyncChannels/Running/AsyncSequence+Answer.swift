/// Answering each element of a sequence with asynchronous work.
extension AsyncSequence where Self: Sendable, Element: Sendable, Failure == Never {
  /// Answers each element with asynchronous work: what a view model does with an input that takes
  /// time.
  ///
  /// ```swift
  /// public func run() async {
  ///   await _query.received.answer(.latestOnly, after: .milliseconds(300), by: index.search) {
  ///     self.hits = $0
  ///   }
  /// }
  /// ```
  ///
  /// Each element that is neither superseded nor ignored is worked on exactly once, however many
  /// listen to what is published. Work is done away from the isolation of `publish`. Cancelling the
  /// caller's task cancels the work under way, and none of its answers is published any more; the
  /// call returns when all work that it began has ended. Elements whose work was not begun stay in
  /// the sequence for the next call, which may begin before a cancelled one has returned: of a
  /// `Subscription`, a cancelled call takes no element that was sent after `cancel()` returned, and has
  /// given back those that it had taken and not begun.
  ///
  /// **In other words.** ``Overlap/latestOnly`` is `switchMap` (`flatMapLatest`), ``Overlap/firstOnly`` is
  /// `exhaustMap`, ``Overlap/oneAtATime`` is `concatMap`, ``Overlap/concurrent`` is `mergeMap` (`flatMap`),
  /// and `after` is `debounce`.
  ///
  /// **Quiet.** With `after`, work begins when no element has come for that long, on the newest;
  /// those before it are superseded. At the end of the sequence it begins immediately. Until then all
  /// of them stay in the subscription: a call that is cancelled meanwhile loses none, and whatever
  /// consumes the subscription next finds them. With `.latestOnly`, an element that comes cancels the work
  /// under way immediately, so no older answer is published while it waits. With `.oneAtATime`, waiting
  /// begins when the work before has ended. Of a derived subscription, elements that are filtered out count
  /// as having come, and work is cancelled only when newer work begins. A sequence that is neither a
  /// `Subscription` nor an outlet loses what the call has read.
  ///
  /// **Costs.** One at a time, work is done in the caller's task. Otherwise each element has one task, with
  /// the caller's priority and task-local values. Others use the isolation after 64 elements or a
  /// millisecond.
  ///
  /// - Parameters:
  ///   - overlap: What becomes of an element that comes while an earlier one is worked on.
  ///   - quiet: How long no element must have come. Traps if negative.
  ///   - clock: Measures that. Its sleep has to end when its task is cancelled.
  ///   - busy: Is sent `true` when work begins, and `false` when no work is left whose answer
  ///     counts: just before the last answer is published, or as soon as a cancelled call runs
  ///     again, in the isolation of `publish`; never inside `cancel()`. It stays `true` while the next
  ///     element is ready whose work will begin. Waiting for quiet is not work. Calls with equal inlets report together: a cancelled call that returns while the next
  ///     one works does not report `false`. An inlet that is made with a function for each call anew
  ///     is equal to no other.
  ///   - isBusyInPause: Whether `busy` is `true` while an element waits for quiet, too: for a form that must
  ///     not be submitted before its newest text was checked.
  ///   - ignored: Is sent each element that `.firstOnly` ignores, once, in the isolation of
  ///     `publish`, at the latest before the answer to what was worked on is published. To count
  ///     them: `_ignoredCount.inlet { count, _ in count += 1 }`, with a ``CurrentValue``. With `after`,
  ///     an element counts as having come when its quiet is over; those before it are superseded.
  ///   - work: Makes the answer. Work that was superseded is cancelled, and nothing waits for its
  ///     end but this call's return.
  ///   - publish: Called with each answer in the isolation in which the closure was made, one at a
  ///     time.
  public func answer<Answer: Sendable>(
    _ overlap: Overlap = .oneAtATime, after quiet: Duration = .zero,
    clock: some Clock<Duration> = ContinuousClock(), busy: Inlet<Bool>? = nil,
    isBusyInPause: Bool = false, ignored: Inlet<Element>? = nil,
    by work: @escaping @Sendable (Element) async -> Answer,
    @_inheritActorContext publish: @escaping @isolated(any) @Sendable (Answer) -> Void
  ) async {
    await answer(
      overlap, after: quiet, clock: clock, busy: busy, isBusyInPause: isBusyInPause,
      ignored: ignored, by: .silent(work), to: .answer(publish))
  }

  /// Answers each element with work that can fail: the answer is a `Result`.
  ///
  /// ```swift
  /// await _signIn.received.answer(busy: _signingIn.inlet, by: authenticator.authenticate) {
  ///   self._signInResult.send($0)   // a Result<Token, AuthError>
  /// }
  /// ```
  ///
  /// The rest is as with work that cannot fail. Work that throws because it was superseded or
  /// its call was cancelled, has no answer.
  @inlinable @_disfavoredOverload
  public func answer<Answer: Sendable, WorkFailure: Error>(
    _ overlap: Overlap = .oneAtATime, after quiet: Duration = .zero,
    clock: some Clock<Duration> = ContinuousClock(), busy: Inlet<Bool>? = nil,
    isBusyInPause: Bool = false, ignored: Inlet<Element>? = nil,
    by work: @escaping @Sendable (Element) async throws(WorkFailure) -> Answer,
    @_inheritActorContext
    publish: @escaping @isolated(any) @Sendable (Result<Answer, WorkFailure>) -> Void
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
      ignored: ignored, by: attempt, publish: publish)
  }
}
