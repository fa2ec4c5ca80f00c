public import Synchronization

/// Who may use a cursor: one consumer at a time, handed over when its task was cancelled.
///
/// A consumer is an iterator; its *ticket* is a number that its cursor gives out in ascending
/// order. The lease is one atomic word, the ticket of the consumer that used the cursor last and
/// what it is doing:
///
///     given up ◀──noteCancel, wake──┐
///       │ acquire, by another       │
///       ▼                           │
///     busy ─────fallAsleep─────▶ waiting
///      │ ▲ ◀──────────wake─────────┘
///      │ │
///      ▼ │ tryAcquire; acquire, by another consumer too
///     idle
///
/// *busy* lasts for a bounded number of steps, and the steps of derived outlets, never over a
/// suspension, so whoever meets it may spin. Every take of the lease acquires and every give
/// releases: what the cursor's fields hold is seen by the next consumer.
///
/// **Hand-over.** A sleeper moves to *waiting* and then waits on its doorbell, whose cancellation
/// handler calls `noteCancel`. The handler runs inside `cancel()` and gives the lease up, unless the
/// sleeper wakes before that: then it sees that its task is cancelled, and gives it up itself. So a
/// task that is started after `cancel()` has returned can take over at once, before the cancelled one
/// has unwound. Only a sleeper that was cancelled just before it waits calls the handler on its own
/// thread, a few steps later.
///
/// **Misuse** is to ask while another waits that was not cancelled. But whoever meets `waiting` may
/// only be early: the sleeper may be in those few steps, and a second `cancel()` can return while the
/// first is still calling handlers. So it looks on. A cancelled waiter gives the lease up, when its
/// handler runs or when it is rung and wakes. One that turns up idle instead, or still waits after a
/// second, was not cancelled.
///
/// Who gave up stays in the word: if all left the same word behind, one that read it long ago, and
/// was cancelled since, could take the lease from those who came after it.
@usableFromInline
struct Lease: ~Copyable, Sendable {
  private enum Phase: UInt64 {
    case idle, busy, waiting, givenUp
  }

  /// `ticket | phase`; zero before the first. A ticket's two lowest bits are zero.
  @usableFromInline let word = Atomic<UInt64>(0)
  private let lastTicket = Atomic<UInt64>(0)

  @usableFromInline
  func makeTicket() -> UInt64 {
    lastTicket.wrappingAdd(4, ordering: .relaxed).newValue
  }

  /// The short way for the consumer that used the cursor last: one atomic exchange.
  @inlinable
  func tryAcquire(_ ticket: UInt64) -> Bool {
    word.compareExchange(expected: ticket, desired: ticket | 1, ordering: .acquiring).exchanged
  }

  /// Takes the lease, from another consumer too. False if this task is cancelled, unless it wants
  /// to look at what is there even then.
  ///
  /// Traps if another consumer is waiting whose task is not cancelled.
  ///
  /// Not inlined: an async caller would keep the room for these variables while it sleeps.
  @inline(never)
  func acquire(_ ticket: UInt64, evenIfCancelled: Bool = false) -> Bool {
    var waiter: UInt64?
    var patience = Patience()
    // With the one in `wake`: if a waiter was cancelled before this, either its waking is seen here
    // or its cancellation there.
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    while true {
      let current = word.load(ordering: .acquiring)
      // After the load: if another took over because this task was cancelled, that cancellation
      // happened before what was just read, so it is seen here.
      if !evenIfCancelled, Task.isCancelled { return false }
      switch Phase(rawValue: current & 3)! {
      case .busy:
        CurrentThread.yield()
      case .waiting:
        waiter = current & ~3
        precondition(patience.lasts(), Self.misuse)
        CurrentThread.yield()
      case .idle, .givenUp:
        precondition(current != waiter, Self.misuse)
        let desired = ticket | Phase.busy.rawValue
        if word.compareExchange(expected: current, desired: desired, ordering: .acquiring).exchanged
        {
          return true
        }
      }
    }
  }

  @inlinable
  func release(_ ticket: UInt64) {
    word.store(ticket, ordering: .releasing)
  }

  /// From busy to waiting.
  func fallAsleep(_ ticket: UInt64) {
    word.store(ticket | Phase.waiting.rawValue, ordering: .releasing)
  }

  /// From waiting to busy; false if the task was cancelled, and then the cursor is another's.
  func wake(_ ticket: UInt64) -> Bool {
    guard endWaiting(ticket, with: .busy) else { return false }
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    guard Task.isCancelled else { return true }
    word.store(ticket | Phase.givenUp.rawValue, ordering: .releasing)
    return false
  }

  /// The task of this consumer was cancelled: gives the lease up if it waits. Idempotent, since a
  /// cancellation handler may run twice.
  func noteCancel(_ ticket: UInt64) {
    _ = endWaiting(ticket, with: .givenUp)
  }

  private func endWaiting(_ ticket: UInt64, with phase: Phase) -> Bool {
    word.compareExchange(
      expected: ticket | Phase.waiting.rawValue, desired: ticket | phase.rawValue,
      ordering: .acquiringAndReleasing
    ).exchanged
  }

  private static var misuse: String {
    """
    A subscription has one consumer at a time: it is being consumed by another task that was not \
    cancelled. Subscribe once for each consumer, or cancel the first before the second begins.
    """
  }
}

/// One second of looking on. A pause between two looks counts for little: the whole process may have
/// been stopped, and the other's thread with it.
private struct Patience {
  private var spent = Duration.zero
  private var lastLook: SuspendingClock.Instant?

  mutating func lasts() -> Bool {
    let now = SuspendingClock.now
    if let lastLook { spent += min(now - lastLook, .milliseconds(10)) }
    lastLook = now
    return spent < .seconds(1)
  }
}
