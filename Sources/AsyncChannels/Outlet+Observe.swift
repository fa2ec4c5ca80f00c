import Synchronization

extension Outlet {
  /// Calls a function with each element, from synchronous code: a bridge to where one cannot loop.
  ///
  /// ```swift
  /// token = viewModel.$state.observe { [weak self] state in self?.render(state) }
  /// ```
  ///
  /// It subscribes before it returns: what is sent after that is delivered, after the current value
  /// where there is one. The body runs in the isolation in which it was made (a closure in a
  /// `@MainActor` type runs on the main actor), in order, one call at a time; elements wait while a
  /// call is suspended.
  ///
  /// **The first call.** Where `observe` is called in the isolation of its body, on the main actor
  /// above all, the body is called with the first element before `observe` returns, if one is
  /// there: a label shows a state in its first frame. That is one call, up to where the body
  /// suspends; what comes next, more replayed elements too, is delivered in later turns. In that
  /// call there is no token yet by which the body could cancel. From elsewhere, with a body that
  /// has no isolation, and on Apple's systems before version 26, all calls come in later turns.
  ///
  /// Once ``CancellationToken/cancel()`` has returned in that isolation, or the token was dropped
  /// there, the body is not called again. From elsewhere, a call that is about to begin may still
  /// come.
  ///
  /// Observers that sleep are woken in the order in which they fell asleep, but no actor, the main
  /// actor neither, promises the order in which it then runs them: do not rely on which of two
  /// observers is called first. Where there is a task to do it in, `for await` is simpler and
  /// structured.
  ///
  /// - Parameters:
  ///   - isolation: The caller's, which is found without being given.
  ///   - body: Gets each element.
  /// - Returns: A token that stops the observing when it is cancelled or dropped.
  public func observe(
    isolation: isolated (any Actor)? = #isolation,
    @_inheritActorContext _ body: @escaping @isolated(any) @Sendable (Element) async -> Void
  ) -> CancellationToken {
    subscribe().consume(in: body.isolation, calledIn: isolation, body)
  }

  /// Sends each element to an inlet, from synchronous code: `taps.observe(viewModel.signIn.send)`.
  ///
  /// As ``observe(isolation:_:)`` for any function whose result does not matter; it does not stop
  /// when the inlet's channel is finished. In a task, use ``Swift/AsyncSequence/bind(to:)``, which
  /// does.
  public func observe<Sent>(
    isolation: isolated (any Actor)? = #isolation,
    @_inheritActorContext _ body:
      @escaping @isolated(any) @Sendable (Element) async -> SendResult<Sent>
  ) -> CancellationToken {
    subscribe().consume(in: body.isolation, calledIn: isolation) { element in
      _ = await body(element)
    }
  }
}

extension Subscription {
  /// Consumes the subscription in a task until the token says otherwise: the bridge from
  /// synchronous code.
  ///
  /// - Parameter isolation: That of `body`.
  fileprivate func consume(
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
        // Enqueued there directly: the main actor's observers begin in the order they were made.
        Task { @MainActor in await forEach(isolation: MainActor.shared, body) }
      } else {
        Task { await forEach(isolation: isolation, body) }
      }
    return CancellationToken { task.cancel() }
  }

  /// - Parameters:
  ///   - isolation: That of `body`, so that after the last look at the cancellation nothing else
  ///     can run there before `body` does.
  ///   - call: The call of `observe` in which this may still run. There it delivers one element and
  ///     no more, or a body that sends to what it observes, or a sender that is faster than the
  ///     body, would not let it return.
  private func forEach(
    isolation: isolated (any Actor)?, within call: ObserveCall? = nil,
    _ body: (Element) async -> Void
  ) async {
    let iterator = makeAsyncIterator()
    var isFirst = true
    while let element = await iterator.next(isolation: isolation) {
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
