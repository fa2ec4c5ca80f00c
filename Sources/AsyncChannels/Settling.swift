/// Waits until the listeners have caught up. Use it in a test before you check what an observer did, and in a
/// producer that must not run ahead (`send`, then `settled`).
///
/// A call returns when each subscriber that exists at the call has taken everything that was sent before, and
/// asks for more, or has left. So the subscriber has worked on all of it. The call does not wait for later
/// subscribers. A subscriber that hands its work to another task "asks for more" while that work continues.
///
/// - **Misuse**: the call cannot know whether a subscriber will ever ask. It waits for a subscription that is
///   not consumed, or whose loop is stuck, until the calling task is cancelled. It waits for a subscription
///   that is read with `next()` until that is called again, or the subscription is dropped. (It never waits
///   for a test's `Probe`.) A loop that calls this in its own body waits for itself. To set a deadline,
///   cancel the task.
/// - **Batches**: a step of ``Batches`` asks once, when it begins, so the batch before has been worked on.
/// - **State of several states**: steps ask all of these states in turn, so a state that does not change
///   delays nothing.
/// - **More is sent meanwhile**: the call only waits for elements that were sent before. If an unbounded
///   subscriber always finds an element ready, the call may return late: when the subscriber has taken up to
///   64 more elements.
/// - **Finish** and **cancel**: the call returns false immediately, since a finished channel no longer knows
///   its subscribers.
/// - **Costs**: a channel for which no call waits pays nothing. A call costs O(the bounded subscribers).
///   While it waits, elements are sent and taken on the slow path.
///
/// There is no such call for a whole view model. It could not know which outputs and inputs the caller means,
/// and even if each has settled in turn, they need not all be settled at the end.
extension Outlet {
  /// Returns when each present subscriber has taken every element that was sent before and asks for more, or has
  /// left.
  ///
  /// A derived outlet waits for all subscribers of the channel at its base. The owner of a channel asks its outlet:
  /// `channel.outlet.settled()`.
  ///
  /// ```swift
  /// viewModel.signIn.send(credentials)
  /// _ = await results?.next()
  /// results = nil                                   // otherwise settled() waits for it
  /// await viewModel.signInResult.settled()
  /// XCTAssertEqual(controller.label, "Signed in.")
  /// ```
  ///
  /// - Returns: False if the channel is finished, or the task cancelled, before that.
  @discardableResult
  public func settled(isolation: isolated (any Actor)? = #isolation) async -> Bool {
    await BroadcastLogBase.settled(logs, isolation: isolation)
  }
}
