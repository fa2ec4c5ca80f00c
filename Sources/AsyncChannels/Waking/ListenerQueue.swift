import Synchronization

/// What the main actor serves in turn with others.
@MainActor @usableFromInline
class QueuedListener {
  private nonisolated let queue = ListenerQueue.replacement(for: nil) ?? ListenerQueue.main
  /// Whether it stands there, so that it stands there once.
  private nonisolated let isQueued = Atomic(false)

  nonisolated init() {}

  /// From any thread, with no lock held.
  ///
  /// Releases, and `takeTurn` acquires: if this finds it in line, the turn that serves it sees what was done before.
  @usableFromInline
  final nonisolated func enqueue() {
    if !isQueued.exchange(true, ordering: .releasing) { queue.add(self) }
  }

  /// To be called by its line, out of which it was taken.
  fileprivate final func takeTurn(_ budget: inout LoopBudget) {
    _ = isQueued.exchange(false, ordering: .acquiring)
    if serve(&budget) { enqueue() }
  }

  /// Does what there is to do. True if there is more, and others have to have their turn first.
  func serve(_ budget: inout LoopBudget) -> Bool { false }
}

/// Those that the main actor has to serve, in the order in which they came.
///
/// One turn, which is one job, serves all that stand in line, those that come meanwhile included. So a hundred
/// listeners that were rung cost one job. After 64 steps or a millisecond (`LoopBudget`) the turn ends, and others
/// run before the next one. A listener that has more then stands last, so it keeps none of the others waiting.
package final class ListenerQueue: Sendable {
  private struct State: ~Copyable {
    /// The first of the line stands last.
    private var front: [QueuedListener] = []
    /// Behind those, in order.
    private var back: [QueuedListener] = []
    /// Whether a turn was called that has not ended.
    private var isCalled = false

    /// True if a turn has to be called.
    mutating func append(_ listener: QueuedListener) -> Bool {
      back.append(listener)
      return !exchange(&isCalled, with: true)
    }

    mutating func popFirst() -> QueuedListener? {
      if front.isEmpty { front = exchange(&back, with: []).reversed() }
      isCalled = !front.isEmpty
      return front.popLast()
    }

    /// Whether another turn has to be called, since somebody stands in line.
    mutating func isStillCalled() -> Bool {
      isCalled = !front.isEmpty || !back.isEmpty
      return isCalled
    }
  }

  static let main = ListenerQueue()
  private let state = Locked(State())
  /// Calls a function that enqueues a turn: for a test, whose job it is to be.
  private let enqueue: (@Sendable (() -> Void) -> Void)?

  package init(enqueuingBy enqueue: (@Sendable (() -> Void) -> Void)? = nil) {
    self.enqueue = enqueue
  }

  func add(_ listener: QueuedListener) {
    _ = Self.replacement(for: self)
    if state.withLock({ $0.append(listener) }) { call() }
  }

  private func call() {
    if let enqueue { enqueue(enqueueTurn) } else { enqueueTurn() }
  }

  /// A job of the main actor, which synchronous code cannot call otherwise. Detached, since it belongs to all
  /// that stand in line, and not to the task that rang the first. Its priority is the main thread's.
  private func enqueueTurn() {
    Task.detached(priority: .high) { @MainActor [self] in serve() }
  }

  @MainActor
  private func serve() {
    var budget = LoopBudget()
    // This is the first step; a listener asks for the next one when it has done one.
    _ = budget.isUsedUp()
    while let listener = state.withLock({ $0.popFirst() }) {
      listener.takeTurn(&budget)
      if budget.isOver {
        if state.withLock({ $0.isStillCalled() }) { call() }
        return
      }
    }
  }
}

/// A test that owns the time has a line of its own: whoever begins to listen in it is served in its time.
extension ListenerQueue {
  /// Tells the line of those who begin to listen on this thread now; nil if it is the usual one. It is also told
  /// of each line that somebody on this thread comes to.
  package typealias Replacement = @Sendable (_ used: ListenerQueue?) -> ListenerQueue?

  /// Without this, each access to the lock's value would wrap the closure once more (compiler 6.3.1, debug).
  private struct Replacing {
    let queue: Replacement
  }

  private static let isReplaced = Atomic(false)
  private static let replacement = Locked<Replacing?>(nil)

  package static func replace(by new: Replacement?) {
    replacement.withLock { $0 = new.map(Replacing.init) }
    isReplaced.store(new != nil, ordering: .relaxed)
  }

  /// Relaxed: a test has its line before it does anything on this thread, and no other thread is the test's.
  static func replacement(for used: ListenerQueue?) -> ListenerQueue? {
    isReplaced.load(ordering: .relaxed) ? replacement.withLock { $0 }?.queue(used) : nil
  }
}
