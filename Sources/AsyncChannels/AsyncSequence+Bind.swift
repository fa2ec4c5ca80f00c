extension AsyncSequence where Element: Sendable {
  /// Sends every element of this sequence to an inlet, in order. Use it to bind a control to an input.
  ///
  /// ```swift
  /// await taps.bind(to: viewModel.signIn)
  /// ```
  ///
  /// Returns when the sequence ends, when a finished channel refuses an element, or when the task is
  /// cancelled. An outlet notices cancellation while it waits. If a sequence does not, this returns after
  /// its next element was sent. In synchronous code, use `observe` of ``Outlet``.
  ///
  /// - Throws: The error of the sequence, unchanged.
  public func bind(to inlet: Inlet<Element>) async throws(Failure) {
    var iterator = makeAsyncIterator()
    while !Task.isCancelled, let element = try await iterator.next(isolation: #isolation) {
      if case .finished = inlet.send(element) { return }
    }
  }
}
