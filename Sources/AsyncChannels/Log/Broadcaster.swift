/// The actor behind a channel, shared by its inlets and outlets.
///
/// Publishing and subscribing are synchronous and go to the log, from any thread. What needs an
/// actor is waking: it owns the `AsyncStream` continuations of the sleepers that are due, and rings
/// them in the order in which they fell asleep, away from the thread that sent.
///
/// It knows nothing of `Channel`: the owner's handle finishes it, and nothing here keeps that
/// alive.
@usableFromInline
actor Broadcaster<Element: Sendable> {
  @usableFromInline nonisolated let log: BroadcastLog<Element>
  @usableFromInline nonisolated let defaultPolicy: BufferingPolicy

  init(replaying count: Int, buffering policy: BufferingPolicy) {
    if count < 0 {
      Diagnostics.programmerError(
        "A channel of \(Element.self) cannot replay \(count) elements: the count is at least 0.")
    }
    policy.validate(for: Element.self)
    log = BroadcastLog(replaying: count)
    defaultPolicy = policy
  }

  /// Returns how many it was sent to, or nil if the log is finished.
  @inlinable
  nonisolated final func send(_ element: Element, replayed: Bool) -> Int? {
    var displaced = Displaced<Element>()
    let (subscribers, wake) = log.append(element, replayed: replayed, displacing: &displaced)
    _ = consume displaced  // destroyed here, with no lock held
    perform(wake)
    return subscribers
  }

  /// Ends every outlet after what was already sent.
  nonisolated final func finish(keepingNewest: Bool = false) {
    perform(log.finish(keepingNewest: keepingNewest))
  }

  @inlinable
  nonisolated final func subscribe(buffering policy: BufferingPolicy?) -> Cursor<Element> {
    policy?.validate(for: Element.self)
    return Cursor(in: log, buffering: policy ?? defaultPolicy)
  }

  @inlinable
  nonisolated final func perform(_ wake: Wake) {
    if case .nobody = wake { return }
    ring(wake)
  }

  @usableFromInline
  nonisolated final func ring(_ wake: Wake) {
    switch wake {
    case .nobody:
      break
    case .directly(var sleepers):
      sleepers.ringAll()
    case .throughActor:
      // A send is synchronous and an actor is not: this is the one task that the library starts for
      // itself. It is detached, since nothing of the sender's task is the readers' business. Its
      // priority is the sender's, for which a thread is awake, but never a lower one than usual: the
      // readers may be more urgent than who sends.
      let priority = max(Task.currentPriority, .medium)
      Task.detached(priority: priority) { await self.ringDue() }
    }
  }

  /// There is at most one of these at a time (`actorIsRinging`), so those who are due are rung in
  /// order; whoever falls due meanwhile joins behind them.
  private func ringDue() {
    while var sleepers = log.takeDue() {
      sleepers.ringAll()
    }
  }
}

extension Sleepers {
  fileprivate mutating func ringAll() {
    while let bell = popFirst() { bell.ring() }
  }
}
