import Synchronization

/// What `observe` makes for a synchronous function on the main actor: a consumer without a task and without a
/// stream, which its actor serves in turn with others (`ListenerQueue`).
///
/// It touches what it listens to on the main actor only. The doorbell that waits in the log's queue keeps it, and so does
/// the token. When the elements have ended, or it was cancelled, it lets go of the subscription and of the function: in a
/// turn of the main actor, since the function may have caught what belongs there.
@MainActor @usableFromInline
final class Listener: QueuedListener {
  /// What a step has done.
  @usableFromInline
  enum Step {
    case called, skipped, nothing
  }

  /// Takes an element that is there, if there is one, and calls the function with it, if `isListening`: what a
  /// derived outlet runs meanwhile may have cancelled it.
  @usableFromInline typealias Take = @MainActor @Sendable (Listener, TakeMode) -> Step

  private enum Phase: UInt8, AtomicRepresentable {
    case listens, cancelled, over
  }

  /// What it listens to, as the consumer with this epoch.
  private struct Heard {
    let waiter: Waiter
    let epoch: UInt64
    let step: Take
  }

  /// Nil when it is over.
  private var heard: Heard?
  /// Made when it first sleeps.
  private var bell: Doorbell?
  /// Relaxed: who cancels it stands it in line after that, which releases.
  private nonisolated let phase = Atomic(Phase.listens)

  @usableFromInline
  nonisolated init(to waiter: Waiter, as epoch: UInt64, _ step: @escaping Take) {
    heard = Heard(waiter: waiter, epoch: epoch, step: step)
  }

  /// From any thread. Once this has returned on the main actor, the function is not called again. It is served
  /// once more, to let go of what it has.
  @usableFromInline
  nonisolated func cancel() {
    let (isFirst, _) = phase.compareExchange(
      expected: .listens, desired: .cancelled, ordering: .relaxed)
    if isFirst { enqueue() }
  }

  /// Calls the function with the first element, if there is one, and no more: called by `observe`, which has
  /// not returned. Whether the running task is cancelled makes no difference, since it is not the listener's.
  @usableFromInline
  func serveFirst() {
    guard let heard else { return }
    _ = heard.waiter.poll(as: heard.epoch)
    // A derived outlet may skip some. No more than there were: others may send faster than this.
    for _ in 0..<max(1, heard.waiter.pendingCount)
    where heard.step(self, .evenIfCancelled) != .skipped { break }
    if hasMore() { enqueue() }
  }

  /// Calls the function with what is there.
  override func serve(_ budget: inout LoopBudget) -> Bool {
    guard let heard else { return false }
    // To find nothing, or to end, is a step, too: what it lets go of may take its time.
    var isIdle = true
    defer { if isIdle { _ = budget.isUsedUp() } }
    if isListening { heard.waiter.wakeListener(as: heard.epoch) }
    while isListening {
      if heard.step(self, .next) != .nothing {
        isIdle = false
        if budget.isUsedUp(), isListening { return hasMore() }
      } else if !hasMore() {
        return false
      }
    }
    end()
    return false
  }

  @usableFromInline
  var isListening: Bool { phase.load(ordering: .relaxed) == .listens }

  /// Asks for more: what it took is worked on. If there is nothing, it sleeps until it is rung, or it is over.
  private func hasMore() -> Bool {
    guard let heard else { return false }
    let bell = bell ?? Doorbell(of: self, asSubscriber: heard.waiter.subscriber)
    self.bell = bell
    switch heard.waiter.poll(as: heard.epoch, orJoinWith: bell) {
    case .readable: return true
    case .nothing: return false
    case .finished, .displaced:
      end()
      return false
    }
  }

  /// What it lets go of is destroyed with no lock held.
  private func end() {
    guard let old = heard.take() else { return }
    let bell = bell.take()
    if phase.exchange(.over, ordering: .relaxed) == .cancelled {
      if let bell { old.waiter.leave(bell, as: old.epoch) }
      old.waiter.note(.cancelled)
    }
  }
}
