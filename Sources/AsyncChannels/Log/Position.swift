public import Synchronization

/// A reader's place in the log: which slot its consumer takes next, and who the consumer is.
///
/// Both are in one atomic word, so a take is one exchange: the consumer *claims* the slot by replacing the
/// word with one that has the next number. Then the slot is its own; it copies the element, and notes
/// that it has finished. A newer consumer puts its ticket into the word. From then on each attempt of
/// the older one fails, so nobody has to wait for a consumer whose thread is not running:
///
///     ┌ number of the next slot ┬ ticket of the consumer ┐        the low 32 bits of each
///     (7, ticket 1) ──claim──▶ (8, ticket 1) ──ticket 2 asks──▶ (8, ticket 2)
///
/// **A consumer that was stopped between claiming and finishing** still needs its slot, and so the slot's
/// segment. The newer consumer sees that, since not all claims are finished, and *closes* the place: the
/// word gets the ticket of nobody, and all takes go the slow way, under the cursor's lock, until the
/// older consumer has finished (`LogCursor.admit`). So `finished` has one writer at a time, and needs no
/// read-modify-write. (Two tasks that share an iterator, which is not `Sendable`, may lose a count. Then the
/// place stays closed, which is slow and safe.)
///
/// **Orderings.** A claim acquires what the consumer before has done. The fast path reads `known` before
/// `segment`, both acquiring, and the slow path writes `segment` before `reach` and `known`, all releasing: so
/// who sees that a slot of the next segment is there sees that segment. Numbers and tickets do not come
/// again, so an exchange that succeeds proves that neither has changed since the word was read. (With 32
/// bits they come again after four billion: a task would have to stop for exactly that many.)
/// Finishing releases, and who finds all claims finished acquires: a segment is freed after the copies
/// from it were made.
///
/// `@unchecked Sendable`: `word` and `known` are written by the consumer, `finished` by who has claimed, and the others by the
/// consumer that has the cursor's lock, or is the only one.
@usableFromInline
struct Position: ~Copyable, @unchecked Sendable {
  /// The only iterator of a cursor claims without an exchange (see `Waiter`).
  @inlinable static var onlyTicket: UInt64 { Waiter.onlyTicket }
  static var nobody: UInt64 { 0 }
  /// How many elements a consumer takes before it comes to the slow path, where it looks at its task's
  /// cancellation (C19).
  private static var longestRun: Int { 64 }

  @usableFromInline let word: Atomic<UInt64>
  /// The number up to which claims are finished, while the place is open. The only iterator notes none.
  @usableFromInline let finished: Atomic<UInt32>
  /// Slots with lower numbers were seen to be published. A consumer that was displaced may set it back; then
  /// the next one looks again.
  @usableFromInline let known: Atomic<Int>
  /// The fast path takes slots with lower numbers. They are in the segment.
  @usableFromInline let reach: Atomic<Int>
  /// That of the next slot, which this holds; nil if there is nothing to read.
  @usableFromInline let header: Atomic<UnsafeMutablePointer<SegmentHeader>?>

  /// - Parameter segment: Comes with a hold; nil for a subscriber that reads a queue, or nothing.
  @usableFromInline
  init(in segment: Segment?, number: Int) {
    word = Atomic(Self.word(number: UInt32(truncatingIfNeeded: number), ticket: Self.nobody))
    finished = Atomic(UInt32(truncatingIfNeeded: number))
    known = Atomic(number)
    // The first take goes the slow way, on which a cancelled task takes nothing.
    reach = Atomic(number)
    header = Atomic(segment?.header)
  }

  @inlinable
  static func word(number: UInt32, ticket: UInt64) -> UInt64 {
    UInt64(number) << 32 | UInt64(UInt32(truncatingIfNeeded: ticket))
  }

  /// Slots that are the caller's, from when it has claimed them until it has finished them.
  @frozen @usableFromInline
  struct Claim {
    @usableFromInline let segment: Segment
    @usableFromInline let index: Int
    @usableFromInline let count: Int

    @inlinable
    init(in segment: Segment, at index: Int, count: Int) {
      (self.segment, self.index, self.count) = (segment, index, count)
    }
  }

  /// Claims the next slots, at most so many, for the consumer. Nil if none is known, and for anybody else.
  @inlinable @inline(__always)
  func claim(atMost count: Int, as ticket: UInt64) -> Claim? {
    let old = word.load(ordering: .acquiring)
    guard UInt32(truncatingIfNeeded: old) == UInt32(truncatingIfNeeded: ticket) else { return nil }
    let number = UInt32(truncatingIfNeeded: old >> 32)
    let ready = ready(from: number)
    guard ready > 0, let header = header.load(ordering: .acquiring) else { return nil }
    let claimed = count == 1 ? 1 : min(count, ready)
    // Wraps around in the upper half.
    let new = old &+ UInt64(claimed) << 32
    Preemption.mayCome()
    if ticket == Self.onlyTicket {
      word.store(new, ordering: .relaxed)
    } else {
      guard word.compareExchange(expected: old, desired: new, ordering: .acquiring).exchanged
      else { return nil }
      Preemption.mayCome()
    }
    // The segment may be looked at from now on.
    let segment = Segment(header: header)
    let index = Int(number &- UInt32(truncatingIfNeeded: segment.start))
    return Claim(in: segment, at: index, count: claimed)
  }

  /// To be called when a claim's elements were copied out.
  @inlinable @inline(__always)
  func finish(_ claim: borrowing Claim, as ticket: UInt64) {
    if ticket == Self.onlyTicket { return }
    Preemption.mayCome()
    let count = finished.load(ordering: .relaxed)
    finished.store(count &+ UInt32(truncatingIfNeeded: claim.count), ordering: .releasing)
  }

  /// How many slots are known behind those with lower numbers.
  @inlinable
  func ready(from number: UInt32) -> Int {
    let known = UInt32(truncatingIfNeeded: known.load(ordering: .acquiring))
    return Int(Int32(bitPattern: known &- number))
  }

  /// Looks for newly published slots within reach. True if one is there.
  @inlinable
  func refresh(_ published: borrowing Atomic<Int>) -> Bool {
    let seen = min(published.load(ordering: .acquiring), reach.load(ordering: .acquiring))
    known.store(seen, ordering: .releasing)
    return ready(from: UInt32(truncatingIfNeeded: word.load(ordering: .relaxed) >> 32)) > 0
  }
}

/// What anybody may ask.
extension Position {
  var isReading: Bool { header.load(ordering: .relaxed) != nil }

  /// How many slots are published and not claimed: with the log's lock held, while nothing is published; else
  /// any number, but zero if there are none.
  func countBehind(_ published: borrowing Atomic<Int>) -> Int {
    let next = UInt32(truncatingIfNeeded: word.load(ordering: .relaxed) >> 32)
    return Int(UInt32(truncatingIfNeeded: published.load(ordering: .acquiring)) &- next)
  }
}

/// What the consumer does that has the cursor's lock, or is the only one.
extension Position {
  @inlinable
  var segment: Segment? { header.load(ordering: .relaxed).map { Segment(header: $0) } }

  /// The next slot's number, in full; nil if there is nothing to read.
  var number: Int? {
    guard let segment else { return nil }
    let next = UInt32(truncatingIfNeeded: word.load(ordering: .relaxed) >> 32)
    return segment.start + Int(next &- UInt32(truncatingIfNeeded: segment.start))
  }

  /// Whether the consumer with this ticket can claim slots.
  func isOpen(for ticket: UInt64) -> Bool {
    let current = UInt32(truncatingIfNeeded: word.load(ordering: .relaxed))
    return current == UInt32(truncatingIfNeeded: ticket)
  }

  /// From now on nobody can claim slots without the cursor's lock. Returns the next slot's number.
  func close() -> UInt32 {
    var old = word.load(ordering: .relaxed)
    while true {
      let number = UInt32(truncatingIfNeeded: old >> 32)
      let (exchanged, original) = word.compareExchange(
        expected: old, desired: Self.word(number: number, ticket: Self.nobody),
        ordering: .acquiringAndReleasing)
      if exchanged { return number }
      old = original
    }
  }

  /// Lets the consumer with this ticket claim slots. The place is closed, and all claims are finished.
  func open(for ticket: UInt64) {
    let number = UInt32(truncatingIfNeeded: word.load(ordering: .relaxed) >> 32)
    finished.store(number, ordering: .relaxed)
    word.store(Self.word(number: number, ticket: ticket), ordering: .releasing)
  }

  /// Whether a claim was not finished, while its consumer does something else.
  var hasOverlappingClaims: Bool {
    let word = word.load(ordering: .relaxed)
    return UInt32(truncatingIfNeeded: word) != UInt32(truncatingIfNeeded: Self.onlyTicket)
      && finished.load(ordering: .relaxed) != UInt32(truncatingIfNeeded: word >> 32)
  }

  /// Claims the next slot if it is known, with the cursor's lock held and the place closed.
  func claimClosed() -> Claim? {
    let old = word.load(ordering: .relaxed)
    let number = UInt32(truncatingIfNeeded: old >> 32)
    guard let segment, ready(from: number) > 0 else { return nil }
    word.store(old &+ 1 << 32, ordering: .relaxed)
    let index = Int(number &- UInt32(truncatingIfNeeded: segment.start))
    return Claim(in: segment, at: index, count: 1)
  }

  /// Extends the reach, into the next segment if this one is read to its end, and looks for slots there.
  /// True if one is there.
  func advance(_ published: borrowing Atomic<Int>) -> Bool {
    guard var segment, let number else { return false }
    // A subscriber that came when a segment was full begins at its end.
    while number == segment.end, let next = segment.next {
      next.retain()
      header.store(next.header, ordering: .releasing)
      segment.release()
      segment = next
    }
    reach.store(min(segment.end, number + Self.longestRun), ordering: .releasing)
    return refresh(published)
  }

  /// Knows of at most so many slots, until it looks again.
  func forgetKnown(but count: Int) {
    guard let number else { return }
    known.store(min(known.load(ordering: .relaxed), number + count), ordering: .releasing)
  }

}
