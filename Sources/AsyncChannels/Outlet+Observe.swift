import Synchronization

/// What can be subscribed to: an ``Outlet`` or a ``StateOutlet``.
public protocol Subscribable<Element>: Sendable {
  /// What its subscriptions give.
  associatedtype Element: Sendable

  /// This as an ``Outlet``, to pass where an outlet is required.
  var outlet: Outlet<Element> { get }
}

extension Subscribable {
  /// Calls a function with each element. Use it in synchronous code, such as a controller, which cannot loop.
  ///
  /// ```swift
  /// token = viewModel.$state.observe { [weak self] state in self?.render(state) }
  /// ```
  ///
  /// It subscribes before it returns, so elements that are sent after that are delivered. Of a state, the
  /// current value comes first. The body runs in the isolation in which it was made (a closure in a
  /// `@MainActor` type runs on the main actor), in order, one call at a time; elements wait while a
  /// call is suspended.
  ///
  /// **The first call.** If `observe` is called in the isolation of its body, on the main actor
  /// above all, the body is called with the first element before `observe` returns, if there is
  /// one. So a label shows a state in its first frame. That is one call, up to where the body
  /// suspends. Later elements, also replayed ones, are delivered after that. During that call
  /// there is no token yet, so the body cannot cancel. If `observe` is called from elsewhere, or
  /// with a body that has no isolation, all calls come later; on Apple's systems before version 26,
  /// also with a body that can suspend, or is another actor's than the main actor's. The first call for a state also
  /// comes later if ``CurrentValue/update(_:)`` is changing the value in place then.
  ///
  /// Once ``CancellationToken/cancel()`` has returned in that isolation, or the token was dropped
  /// there, the body is not called again. After cancelling from elsewhere, a call that was about to
  /// begin may still come.
  ///
  /// **Costs.** On the main actor, observers whose bodies cannot suspend have no task. One job calls all that have
  /// something to show. The first call is made in the task of the caller; later calls have none of
  /// its task-local values, nor its priority. Any other observer has a task of its own.
  ///
  /// **Fast senders.** An observer lets others run on its actor after 64 calls, or a millisecond of them. It
  /// still gets every element. For a view that needs the newest only, and whose state is written faster than
  /// the view can show it, pass `buffering: .bufferingNewest(1)`.
  ///
  /// Sleeping observers are woken in the order in which they fell asleep. An observer with a task may be called
  /// before or after others that were woken with it. In a task, `for await` is simpler, and structured.
  ///
  /// - Parameters:
  ///   - policy: What happens when the body falls behind; the channel's policy if nil.
  ///   - isolation: The caller's, which is the default: do not pass another.
  ///   - body: Gets each element.
  /// - Returns: A token that stops the observing when it is cancelled or dropped.
  @inlinable
  public func observe(
    buffering policy: BufferingPolicy? = nil,
    isolation: isolated (any Actor)? = #isolation,
    @_inheritActorContext _ body: @escaping @isolated(any) @Sendable (Element) -> Void
  ) -> CancellationToken {
    outlet.listen(buffering: policy, calledIn: isolation, body)
  }

  /// Calls a function that can suspend, or has another isolation than the main actor's, with each element. Everything
  /// else is as with a function that cannot suspend.
  @inlinable
  public func observe(
    buffering policy: BufferingPolicy? = nil,
    isolation: isolated (any Actor)? = #isolation,
    @_inheritActorContext _ body: @escaping @isolated(any) @Sendable (Element) async -> Void
  ) -> CancellationToken {
    outlet.subscribe(buffering: policy).consume(in: body.isolation, calledIn: isolation, body)
  }

  /// Calls a function with the newest element, at most so often: the first immediately, and after each pause the newest
  /// that has come. Use it for state that is written faster than a person reads.
  ///
  /// It has a task. Everything else is as with a function that can suspend, without a pause.
  ///
  /// - Parameters:
  ///   - interval: How long it waits after each call. Traps if it is not positive.
  ///   - clock: The clock that measures it. Its `sleep` must return when its task is cancelled.
  ///   - isolation: The caller's, which is the default: do not pass another.
  ///   - body: Gets each of these elements.
  /// - Returns: A token that stops the observing when it is cancelled or dropped.
  public func observe(
    atMostEvery interval: Duration, clock: some Clock<Duration> = ContinuousClock(),
    isolation: isolated (any Actor)? = #isolation,
    @_inheritActorContext _ body: @escaping @isolated(any) @Sendable (Element) async -> Void
  ) -> CancellationToken {
    requirePositive(interval, "An observer of \(Element.self) cannot be called every")
    return outlet.subscribe(buffering: .bufferingNewest(1)).consume(
      in: body.isolation, calledIn: isolation
    ) {
      await body($0)
      try? await clock.sleep(for: interval.countable)
    }
  }

  /// Sends each element to an inlet, from synchronous code: `taps.observe(viewModel.signIn.send)`.
  ///
  /// It ignores the result: it does not stop when the inlet's channel is finished. In a task, use
  /// ``_Concurrency/AsyncSequence/bind(to:)``, which does.
  @inlinable
  public func observe<Sent>(
    buffering policy: BufferingPolicy? = nil,
    isolation: isolated (any Actor)? = #isolation,
    @_inheritActorContext _ body: @escaping @isolated(any) @Sendable (Element) -> SendResult<Sent>
  ) -> CancellationToken {
    outlet.listen(buffering: policy, calledIn: isolation, body)
  }

  /// Sends each element with a function that can suspend, such as that of an actor, and ignores the result.
  @inlinable
  public func observe<Sent>(
    buffering policy: BufferingPolicy? = nil,
    isolation: isolated (any Actor)? = #isolation,
    @_inheritActorContext _ body:
      @escaping @isolated(any) @Sendable (Element) async -> SendResult<Sent>
  ) -> CancellationToken {
    outlet.subscribe(buffering: policy).consume(in: body.isolation, calledIn: isolation) {
      _ = await body($0)
    }
  }
}

extension Outlet {
  /// The main actor calls its functions in turn, without a task. Elsewhere each has a task, as a function that can
  /// suspend has.
  @inlinable
  func listen<Result: Sendable>(
    buffering policy: BufferingPolicy?, calledIn caller: isolated (any Actor)?,
    _ body: @escaping @isolated(any) @Sendable (Element) -> Result
  ) -> CancellationToken {
    guard let function = mainActorFunction(body) else {
      return subscribe(buffering: policy).consume(in: body.isolation, calledIn: caller) {
        _ = await body($0)
      }
    }
    let upstream = upstream(buffering: policy)
    let epoch = if case .cursor = upstream { Waiter.onlyEpoch } else { upstream.waiter.makeEpoch() }
    let listener = Listener(to: upstream.waiter, as: epoch) { listener, mode in
      upstream.deliver(mode, as: epoch) { if listener.isListening { _ = function($0) } }
    }
    return CancellationToken(of: listener, isFirstServed: caller === MainActor.shared)
  }
}

extension CancellationToken {
  /// - Parameter isFirstServed: Whether the main actor is the caller's, and so the first call comes now.
  @usableFromInline
  convenience init(of listener: Listener, isFirstServed: Bool) {
    if isFirstServed {
      MainActor.assumeIsolated { listener.serveFirst() }
    } else {
      listener.enqueue()
    }
    self.init { listener.cancel() }
  }
}

extension Subscription {
  /// Consumes the subscription in a task, until the token is cancelled or dropped.
  ///
  /// - Parameters:
  ///   - isolation: That of `body`.
  ///   - caller: That of the caller of `observe`.
  @usableFromInline
  func consume(
    in isolation: (any Actor)?, calledIn caller: isolated (any Actor)?,
    _ body: @escaping @Sendable (Element) async -> Void
  ) -> CancellationToken {
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *),
      let caller, caller === isolation
    {
      let call = ObserveCall()
      defer { call.hasReturned.store(true, ordering: .relaxed) }
      let task = Task.immediate { await forEach(isolation: caller, within: call, body) }
      return CancellationToken { task.cancel() }
    }
    let task =
      if isolation === MainActor.shared {
        // Enqueued there directly, so that observers begin in the order in which they were made.
        Task { @MainActor in await forEach(isolation: MainActor.shared, body) }
      } else {
        Task { await forEach(isolation: isolation, body) }
      }
    return CancellationToken { task.cancel() }
  }

  /// - Parameters:
  ///   - isolation: That of `body`, so that after the last look at the cancellation nothing else
  ///     can run there before `body` does.
  ///   - call: The call of `observe` inside which this begins. Before that returns, one element is
  ///     delivered and no more: with a body that sends to what it observes, or a sender that is
  ///     faster than the body, `observe` would otherwise never return.
  private func forEach(
    isolation: isolated (any Actor)?, within call: ObserveCall? = nil,
    _ body: (Element) async -> Void
  ) async {
    let iterator = makeAsyncIterator()
    var isFirst = true
    // Looks for each element, so others have their turn after 64.
    while let element = await iterator.nextUnlessCancelled(isolation: isolation) {
      if let call, !isFirst, !call.hasReturned.load(ordering: .relaxed) { await Task.yield() }
      guard !Task.isCancelled else { return }
      await body(element)
      isFirst = false
    }
  }
}

/// Whether a call of `observe` has returned. Used in one isolation, so relaxed is enough.
private final class ObserveCall: Sendable {
  let hasReturned = Atomic(false)
}
