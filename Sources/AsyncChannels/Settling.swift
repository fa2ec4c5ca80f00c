/// Waiting until the listeners have caught up. A test uses it before it looks at what an observer did, and a
/// producer to not run ahead (`send`, then `settled`).
///
/// A call returns when each subscriber that exists at the call has taken everything that was sent before, and
/// asks for more, or has left. So the subscriber has worked on all of it. The call does not wait for later
/// subscribers. A subscriber that hands its work to another task "asks for more" while that work continues.
///
/// - **What it cannot know**: whether a subscriber will ever ask. A subscription that nobody consumes,
///   or a loop that is stuck, is waited for until the calling task is cancelled; so is one that is taken
///   from by hand, until it asks again or is dropped. (It never waits for a test's `Probe`.) A loop that calls this in its own
///   body waits for itself. So a test gives it a deadline.
/// - **Batches**: a step of ``Batches`` asks once, when it begins, so the batch before has been worked on.
/// - **State of several states**: steps ask all of them in turn, so one that does not change holds nothing up.
/// - **More is sent meanwhile**: the call waits for what was there before. Of an unbounded subscriber
///   that always finds an element ready, it may hear late: when that one has taken up to 64 more.
/// - **Finish** and **cancel**: the call returns false immediately, since what is finished has
///   forgotten its subscribers.
/// - **Costs**: nothing to anybody when nobody waits. A call costs O(the subscribers that are bounded);
///   while it waits, elements are sent and taken on the slow path.
///
/// There is none for a whole view model: it does not know which of its outputs and inputs the caller
/// means, and that each has settled in turn does not mean that all have.
extension Channel {
  /// Returns when each subscriber there is has taken what was sent before and asks for more, or has
  /// left.
  ///
  /// ```swift
  /// progress.send(.finished)
  /// await progress.settled()
  /// ```
  ///
  /// - Returns: False if the channel is finished, or the task cancelled, before that.
  @discardableResult
  public func settled(isolation: isolated (any Actor)? = #isolation) async -> Bool {
    await BroadcastLogBase.settled([log], isolation: isolation)
  }
}

extension Output {
  /// The same as ``Channel/settled(isolation:)``.
  @discardableResult
  public func settled(isolation: isolated (any Actor)? = #isolation) async -> Bool {
    await channel.settled(isolation: isolation)
  }
}

extension Outlet {
  /// Returns when each subscriber there is has taken what was sent before and asks for more, or has
  /// left.
  ///
  /// For a derived outlet those are all subscribers of the channel at its base.
  ///
  /// ```swift
  /// viewModel.signIn.send(credentials)
  /// _ = await results?.next()
  /// results = nil                                   // or it would be waited for
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
