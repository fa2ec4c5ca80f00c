public import AsyncChannels
import AsyncChannelsRecording
import Synchronization

extension Subscribable {
  /// Waits until the listeners have caught up. Use it before you check what an observer did.
  ///
  /// It returns when each subscriber that exists at the call has taken everything that was sent before, and asks for
  /// more, or has left. So the subscriber has worked on all of it. It does not wait for later subscribers. A
  /// subscriber that hands its work to another task "asks for more" while that work continues. A derived outlet, and
  /// derived state, waits for all subscribers of what it is derived from. The owner of a channel asks its outlet:
  /// `channel.outlet.waitUntilSettled()`.
  ///
  /// ```swift
  /// viewModel.signIn.send(credentials)
  /// _ = await results?.next()
  /// results = nil                                   // otherwise it waits for this subscription
  /// await viewModel.signInResult.waitUntilSettled()
  /// XCTAssertEqual(controller.label, "Signed in.")
  ///
  /// viewModel.name = "news"
  /// await viewModel.$name.waitUntilSettled()
  /// XCTAssertEqual(controller.label, "news")
  /// ```
  ///
  /// - **Misuse**: the call cannot know whether a subscriber will ever ask. It waits for a subscription that is
  ///   not consumed, or whose loop is stuck, until the calling task is cancelled. It waits for a subscription
  ///   that is read with `next()` until that is called again, or the subscription is dropped. (It never waits
  ///   for a ``Probe``.) A loop that calls this in its own body waits for itself. To set a deadline,
  ///   cancel the task.
  /// - **Batches**: a step of `Batches` asks once, when it begins, so the batch before has been worked on.
  /// - **State of several states**: steps ask all of these states in turn, so a state that does not change
  ///   delays nothing.
  /// - **More is sent meanwhile**: the call only waits for elements that were sent before. If an unbounded
  ///   subscriber always finds an element ready, the call may return late: when the subscriber has taken up to
  ///   64 more elements.
  /// - **Finish** and **cancel**: the call returns false immediately, since a finished channel no longer knows
  ///   its subscribers.
  /// - **Costs**: a call costs O(the sleeping and the bounded subscribers). While it waits, elements are sent and
  ///   taken on the slow path.
  ///
  /// There is no such call for a whole view model. It could not know which outputs and inputs the caller means,
  /// and even if each has settled in turn, they need not all be settled at the end.
  ///
  /// - Returns: False if the channel, or one of the states, is finished, or the task cancelled, before that. State
  ///   that never changes has settled.
  @discardableResult
  public func waitUntilSettled(isolation: isolated (any Actor)? = #isolation) async -> Bool {
    await Settling.wait(for: outlet.logs, isolation: isolation)
  }
}

/// The calls of `waitUntilSettled()` that wait.
enum Settling {
  /// By the number of the task.
  private static let waits = Locked<[UInt64: [SettleWait]]>([:])

  /// For whom a task waits, for the report of a test that would wait for ever.
  static func waits(of task: UInt64) -> [SettleWait] { waits.withLock { $0[task] ?? [] } }

  /// All waits begin now, so that nobody is waited for who comes while another log settles, and ring together, so
  /// that the end of any of them is heard.
  fileprivate static func wait(
    for logs: [BroadcastLogBase], isolation: isolated (any Actor)?
  ) async -> Bool {
    if Task.isCancelled { return false }
    let (rings, ringing) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let waits = logs.map { SettleWait(in: $0, ringing: ringing) }
    for wait in waits { wait.log.attach(wait) }
    let task = CurrentTask.number ?? 0
    self.waits.withLock { $0[task] = waits }
    defer {
      self.waits.withLock { $0[task] = nil }
      for wait in waits { wait.log.detach(wait) }
    }
    var ring = rings.makeAsyncIterator()
    while true {
      let results = waits.map(\.hasSettled)
      if results.contains(false) { return false }
      if !results.contains(nil) { return true }
      if Task.isCancelled { return false }
      await ring.next(isolation: isolation)
    }
  }
}
