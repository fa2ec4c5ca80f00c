public import Synchronization

/// Who may use a cursor: one consumer at a time, handed over when its task was cancelled.
///
/// A consumer is an iterator; its *ticket* is a number that its cursor gives out in ascending
/// order. The lease is one atomic word, the ticket of the consumer that used the cursor last and
/// what it is doing:
///
///     nobody ◀──noteCancel, wake──┐
///       │ acquire                 │
///       ▼                         │
///     busy ────fallAsleep──▶ waiting
///      │ ▲ ◀────────wake────────┘
///      │ │
///      ▼ │ tryAcquire; acquire, by another consumer too
///     idle
///
/// *busy* lasts for a bounded number of steps, and the steps of derived outlets, never over a
/// suspension, so whoever meets it may spin. Every take of the lease acquires and every give
/// releases: what the cursor's fields hold is seen by the next consumer.
///
/// **Hand-over.** A sleeper installs its cancellation handler, which calls `noteCancel`, *before*
/// `fallAsleep`. If `cancel()` came first, the handler has run on the sleeper's own thread and left
/// `busyCancelled`, which `fallAsleep` refuses. If it comes later, the handler runs inside
/// `cancel()` and gives the lease up, unless the sleeper wakes before that: then it sees that its
/// task is cancelled, and gives it up itself. So a task that is started after `cancel()` has
/// returned can take over at once, before the cancelled one has unwound.
///
/// **Misuse** is to ask while another waits that was not cancelled. But whoever meets `waiting` may
/// only be early: a second `cancel()` can return while the first is still calling handlers. So it
/// looks on. A cancelled waiter gives the lease up to nobody, when its handler runs or when it is
/// rung and wakes. One that turns up idle instead, or still waits after a second, was not
/// cancelled.
@usableFromInline
struct Lease: ~Copyable, Sendable {
  private enum Phase: UInt64 {
    case idle, busy, busyCancelled, waiting
  }

  /// `ticket | phase`; zero for nobody. A ticket's two lowest bits are zero.
  @usableFromInline let word = Atomic<UInt64>(0)
  private let lastTicket = Atomic<UInt64>(0)

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
  func acquire(_ ticket: UInt64, evenIfCancelled: Bool = false) -> Bool {
    var waiter: UInt64?
    var deadline: SuspendingClock.Instant?
    while true {
      let current = word.load(ordering: .acquiring)
      // After the load: if another took over because this task was cancelled, that cancellation
      // happened before what was just read, so it is seen here.
      if !evenIfCancelled, Task.isCancelled { return false }
      switch Phase(rawValue: current & 3)! {
      case .busy, .busyCancelled:
        CurrentThread.yield()
      case .waiting:
        waiter = current & ~3
        let end = deadline ?? .now + .seconds(1)
        precondition(.now < end, Self.misuse)
        deadline = end
        CurrentThread.yield()
      case .idle:
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

  /// From busy to waiting; false if the task was cancelled, and then the lease is still held.
  func fallAsleep(_ ticket: UInt64) -> Bool {
    move(ticket, from: .busy, to: .waiting)
  }

  /// From waiting to busy; false if the task was cancelled, and then the cursor is another's.
  func wake(_ ticket: UInt64) -> Bool {
    guard move(ticket, from: .waiting, to: .busy) else { return false }
    guard Task.isCancelled else { return true }
    word.store(Self.nobody, ordering: .releasing)
    return false
  }

  /// The task of this consumer was cancelled: gives the lease up if it waits, and keeps it from
  /// falling asleep if it does not. Idempotent, since a cancellation handler may run twice.
  func noteCancel(_ ticket: UInt64) {
    let waiting = ticket | Phase.waiting.rawValue
    while true {
      let given = word.compareExchange(
        expected: waiting, desired: Self.nobody, ordering: .acquiringAndReleasing)
      if given.exchanged || move(ticket, from: .busy, to: .busyCancelled) { return }
      // Neither, unless it moved from busy to waiting between the two.
      guard word.load(ordering: .relaxed) == waiting else { return }
    }
  }

  private func move(_ ticket: UInt64, from old: Phase, to new: Phase) -> Bool {
    word.compareExchange(
      expected: ticket | old.rawValue, desired: ticket | new.rawValue,
      ordering: .acquiringAndReleasing
    ).exchanged
  }

  private static var nobody: UInt64 { 0 }

  private static var misuse: String {
    """
    A subscription has one consumer at a time: it is being consumed by another task that was not \
    cancelled. Subscribe once for each consumer, or cancel the first before the second begins.
    """
  }
}
