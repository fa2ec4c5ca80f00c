public import Synchronization

/// The right to use a cursor: the newest iterator that has asked for an element has it.
///
/// An iterator has a *ticket*, a number that its cursor gives out in ascending order. The lease is
/// one atomic word: the ticket of the newest iterator that has asked, and whether it is using the
/// cursor now.
///
///     idle, ticket 1 ──acquire(1)──▶ busy, ticket 1 ──release──▶ idle, ticket 1
///          │
///          └──acquire(2)──▶ busy, ticket 2 ──release──▶ idle, ticket 2   then acquire(1) fails
///
/// A ticket in the word never gets smaller, so an iterator that was displaced can neither take an
/// element nor displace the newer one, however late it asks.
///
/// *Busy* lasts for a bounded number of steps of this package, never over a suspension and never
/// while code of a user runs. So an iterator that meets it may wait for it on its thread.
///
/// **The only iterator.** A cursor that is made for one iterator, and that nothing else refers to, needs
/// no lease: the iterator is not `Sendable`, so its calls and those of its copies come from one
/// isolation, or from one after another that it was sent to, and do not overlap. It has the ticket
/// `only`, for which taking the lease and giving it back do nothing. Of two calls in one isolation
/// of which one sleeps, the doorbell tells the newer (see `Waiter`).
///
/// Taking the lease acquires, giving it back releases: so each consumer sees the cursor's fields as
/// the one before it left them. The load in `acquire` may be relaxed: the exchange that follows it
/// acquires, and without the lease no field is touched.
@usableFromInline
struct Lease: ~Copyable, Sendable {
  /// The ticket of an iterator that shares its cursor with no other. It is never in the word.
  @inlinable static var only: UInt64 { .max }

  /// The lowest bit means busy; the others are the ticket, zero before the first.
  @usableFromInline let word = Atomic<UInt64>(0)
  private let lastTicket = Atomic<UInt64>(0)

  /// Acquires and releases, so that what the maker of an older ticket has seen, the maker of a
  /// newer one sees. So a cancelled task that does not see its cancellation yet has an older ticket
  /// than any consumer that began after `cancel()` returned, and cannot displace it.
  @usableFromInline
  func makeTicket() -> UInt64 {
    lastTicket.wrappingAdd(2, ordering: .acquiringAndReleasing).newValue
  }

  /// The fast path, for the iterator that used the cursor last: one exchange.
  @inlinable
  func tryAcquire(_ ticket: UInt64) -> Bool {
    ticket == Self.only
      || word.compareExchange(expected: ticket, desired: ticket | 1, ordering: .acquiring).exchanged
  }

  /// Like `tryAcquire`, but waits while somebody has borrowed the lease: the caller would read a
  /// failed attempt as "nothing to take". False if another iterator has asked.
  func tryAcquireUnborrowed(_ ticket: UInt64) -> Bool {
    while !tryAcquire(ticket) {
      if word.load(ordering: .relaxed) & ~1 != ticket { return false }
      CurrentThread.yield()
    }
    return true
  }

  /// Takes the lease, also from an older iterator. False if a newer one has asked.
  func acquire(_ ticket: UInt64) -> Bool {
    if ticket == Self.only { return true }
    while true {
      let current = word.load(ordering: .relaxed)
      if current & ~1 > ticket { return false }
      if current & 1 == 1 {
        CurrentThread.yield()
      } else if word.compareExchange(
        expected: current, desired: ticket | 1, ordering: .acquiring
      ).exchanged {
        return true
      }
    }
  }

  /// Takes the lease for a look at the cursor, and displaces nobody. Returns what to release it with.
  ///
  /// A consumer whose fast path meets that takes the slow one, which waits.
  func borrow() -> UInt64 {
    while true {
      let ticket = word.load(ordering: .relaxed) & ~1
      if acquire(ticket) { return ticket }
    }
  }

  @inlinable
  func release(_ ticket: UInt64) {
    if ticket != Self.only { word.store(ticket, ordering: .releasing) }
  }
}
