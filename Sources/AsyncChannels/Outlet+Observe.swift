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
  /// Once ``CancellationToken/cancel()`` has returned in that isolation, or the token was dropped
  /// there, the body is not called again. From elsewhere, a call that is about to begin may still
  /// come.
  ///
  /// On the main actor observers are called in the order in which they fell asleep: that in which
  /// they were added, until one is still busy with an element when the next is sent. It gets that
  /// when it is done, and from then on comes after the others. Where there is a task to do it in,
  /// `for await` is simpler and structured.
  ///
  /// - Returns: A token that stops the observing when it is cancelled or dropped.
  public func observe(
    @_inheritActorContext _ body: @escaping @isolated(any) @Sendable (Element) async -> Void
  ) -> CancellationToken {
    subscribe().consume(in: body.isolation, body)
  }

  /// Sends each element to an inlet, from synchronous code: `taps.observe(viewModel.signIn.send)`.
  ///
  /// As ``observe(_:)`` for any function whose result does not matter; it does not stop when the
  /// inlet's channel is finished. In a task, use ``Swift/AsyncSequence/bind(to:)``, which does.
  public func observe<Sent>(
    @_inheritActorContext _ body:
      @escaping @isolated(any) @Sendable (Element) async -> SendResult<Sent>
  ) -> CancellationToken {
    subscribe().consume(in: body.isolation) { element in _ = await body(element) }
  }
}

extension Subscription {
  /// Consumes the subscription in a task until the token says otherwise: the bridge from
  /// synchronous code.
  fileprivate func consume(
    in isolation: (any Actor)?, _ body: @escaping @Sendable (Element) async -> Void
  ) -> CancellationToken {
    let task =
      if isolation === MainActor.shared {
        // Enqueued there directly: the main actor's observers begin in the order they were made.
        Task { @MainActor in await forEach(isolation: MainActor.shared, body) }
      } else {
        Task { await forEach(isolation: isolation, body) }
      }
    return CancellationToken { task.cancel() }
  }

  /// - Parameter isolation: That of `body`, so that after the last look at the cancellation nothing
  ///   else can run there before `body` does.
  private func forEach(
    isolation: isolated (any Actor)?, _ body: (Element) async -> Void
  ) async {
    let iterator = makeAsyncIterator()
    while let element = await iterator.next(isolation: isolation), !Task.isCancelled {
      await body(element)
    }
  }
}
