public import Synchronization

/// A reader's place in the log: which slot its consumer takes next, and who the consumer is.
///
/// Both are in one atomic word, so a take is one exchange: the consumer *claims* the slot by replacing the
/// word with one that has the next number. Then the slot is its own; it copies the element, and notes
/// that it has finished. A newer consumer puts its epoch into the word. From then on each attempt of
/// the older one fails, so nobody has to wait for a consumer whose thread is not running:
///
///     ┌ number of the next slot ┬ epoch of the consumer ┐        the low 32 bits of each
///     (7, epoch 1) ──claim──▶ (8, epoch 1) ──epoch 2 asks──▶ (8, epoch 2)
///
/// **A consumer that was stopped between claiming and finishing** still needs its slot, and so the slot's
/// segment. The newer consumer sees that, since not all claims are finished, and *closes* the place: the
/// word gets the epoch of nobody, and all takes go the slow way, under the cursor's lock, until the
/// older consumer has finished (`LogCursor.admit`). So `finished` has one writer at a time, and needs no
/// read-modify-write. (Two tasks that share an iterator, which is not `Sendable`, may lose a count. Then the
/// place stays closed: takes are slow, and what was sent since then stays allocated, until the subscription
/// is dropped.)
///
/// **Orderings.** The fast path reads `known` before the segment, both acquiring, and the slow path writes the
/// segment before `reach` and `known`, all releasing: so who sees that a slot of the next segment is there
/// sees that segment. Numbers and epochs do not come again, so an exchange that succeeds proves that
/// neither has changed since the word was read. (With 32 bits they come again after four billion. A task
/// would have to stop for exactly that many, or an iterator to ask again after exactly that many newer
/// ones; and a subscriber may be less than two billion elements behind.) Finishing releases, and who
/// finds all claims finished acquires: a segment is freed after the copies from it were made.
///
/// `@unchecked Sendable`: `word` is written by the consumer, `known` by the consumer and late by a displaced
/// one, `finished` by who has claimed, and the others by the consumer that has the cursor's lock, or is
/// the only one.
@usableFromInline
struct Position: ~Copyable, @unchecked Sendable {
  /// The only iterator of a cursor claims without an exchange (see `Waiter`).
  @inlinable static var onlyEpoch: UInt64 { Waiter.onlyEpoch }
  static var nobody: UInt64 { 0 }
  /// How many elements a consumer takes before it comes to the slow path, where it looks at its task's
  /// cancellation (C19).
  private static var longestRun: Int { 64 }

  @usableFromInline let word: Atomic<UInt64>
  /// The number up to which claims are finished, while the place is open. The only iterator notes none.
  @usableFromInline let finished: Atomic<UInt32>
  /// Slots with lower numbers were seen to be published. A consumer that was displaced may set it back; then
  /// the next one looks again.
  @usableFromInline let known: Atomic<UInt32>
  /// The fast path takes slots with lower numbers. They are in the segment.
  @usableFromInline let reach: Atomic<UInt32>
  /// The number of the segment's first slot, and the segment's elements: kept here for the fast path.
  @usableFromInline let start: Atomic<UInt32>
  @usableFromInline let elements: Atomic<UnsafeMutableRawPointer?>
  /// The segment of the next slot, which this holds; nil if there is nothing to read.
  @usableFromInline let header: Atomic<UnsafeMutablePointer<SegmentHeader>?>

  /// - Parameter segment: Comes with a hold; nil for a subscriber that reads a queue, or nothing.
  @usableFromInline
  init(in segment: Segment?, number: Int) {
    let number = UInt32(truncatingIfNeeded: number)
    word = Atomic(Self.word(number: number, epoch: Self.nobody))
    finished = Atomic(number)
    known = Atomic(number)
    // The first take goes the slow way, on which a cancelled task takes nothing.
    reach = Atomic(number)
    header = Atomic(segment?.header)
    start = Atomic(UInt32(truncatingIfNeeded: segment?.start ?? 0))
    elements = Atomic(segment?.elements)
  }

  @inlinable
  static func word(number: UInt32, epoch: UInt64) -> UInt64 {
    UInt64(number) << 32 | UInt64(UInt32(truncatingIfNeeded: epoch))
  }

  /// Slots that are the caller's, from when it has claimed them until it has finished them.
  @frozen @usableFromInline
  struct Claim {
    @usableFromInline let pendingReads: UnsafeMutablePointer<Atomic<UInt32>>
    @usableFromInline let elements: UnsafeMutableRawPointer
    @usableFromInline let index: Int
    @usableFromInline let count: Int

    @inlinable @inline(__always)
    init(
      _ pendingReads: UnsafeMutablePointer<Atomic<UInt32>>, _ elements: UnsafeMutableRawPointer,
      at index: Int, count: Int
    ) {
      (self.pendingReads, self.elements) = (pendingReads, elements)
      (self.index, self.count) = (index, count)
    }

    /// Takes the element of one of the slots.
    @inlinable @inline(__always)
    func take<Element>(_: Element.Type, _ offset: Int = 0) -> Element {
      Segment.take(
        from: elements.assumingMemoryBound(to: Element.self) + (index &+ offset),
        pendingReads + (index &+ offset))
    }
  }

  /// The word, if this is the consumer's epoch.
  @inlinable @inline(__always)
  func word(of epoch: UInt64) -> UInt64? {
    let word = word.load(ordering: .acquiring)
    return UInt32(truncatingIfNeeded: word) == UInt32(truncatingIfNeeded: epoch) ? word : nil
  }

  /// Claims the next slots, for the consumer. Nil if another has become that.
  ///
  /// - Parameters:
  ///   - old: The word, in which the epoch is.
  ///   - count: How many slots; they are known.
  @inlinable @inline(__always)
  func claim(_ count: Int, after old: UInt64, as epoch: UInt64) -> Claim? {
    // A segment that is not held any more is not looked at before the exchange has succeeded.
    let header = UnsafeMutableRawPointer(header.load(ordering: .acquiring).unsafelyUnwrapped)
    let elements = elements.load(ordering: .acquiring).unsafelyUnwrapped
    let index = Int(UInt32(truncatingIfNeeded: old >> 32) &- start.load(ordering: .acquiring))
    // Wraps around in the upper half.
    let new = old &+ UInt64(count) << 32
    Preemption.mayCome()
    if epoch == Self.onlyEpoch {
      word.store(new, ordering: .relaxed)
    } else {
      guard word.compareExchange(expected: old, desired: new, ordering: .acquiring).exchanged
      else { return nil }
      Preemption.mayCome()
    }
    return Claim(Segment.pendingReads(in: header), elements, at: index, count: count)
  }

  /// Claims the next slot if it is known. Nil for anybody but the consumer.
  @inlinable @inline(__always)
  func claimKnown(as epoch: UInt64) -> Claim? {
    guard let word = word(of: epoch), ready(after: word) > 0 else { return nil }
    return claim(1, after: word, as: epoch)
  }

  /// To be called when a claim's elements were taken.
  @inlinable @inline(__always)
  func finish(_ claim: borrowing Claim, as epoch: UInt64) {
    if epoch == Self.onlyEpoch { return }
    Preemption.mayCome()
    let count = finished.load(ordering: .relaxed)
    finished.store(count &+ UInt32(truncatingIfNeeded: claim.count), ordering: .releasing)
  }

  /// How many slots are known that this word's number does not pass.
  @inlinable @inline(__always)
  func ready(after word: UInt64) -> Int32 {
    let number = UInt32(truncatingIfNeeded: word >> 32)
    return Int32(bitPattern: known.load(ordering: .acquiring) &- number)
  }

  /// The same, now that it is known how many slots are published, as far as the reach goes.
  @inlinable @inline(__always)
  func refresh(_ published: Int, after word: UInt64) -> Int32 {
    let number = UInt32(truncatingIfNeeded: word >> 32)
    // Below zero if another has claimed more than this has seen.
    let new = Int32(bitPattern: UInt32(truncatingIfNeeded: published) &- number)
    let ready = min(new, Int32(bitPattern: reach.load(ordering: .acquiring) &- number))
    known.store(number &+ UInt32(bitPattern: ready), ordering: .releasing)
    return ready
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
  var segment: Segment? { header.load(ordering: .relaxed).map { Segment(header: $0) } }

  private var next: UInt32 { UInt32(truncatingIfNeeded: word.load(ordering: .relaxed) >> 32) }

  /// The next slot's number, in full; nil if there is nothing to read.
  var number: Int? {
    guard let segment else { return nil }
    return segment.start + Int(next &- UInt32(truncatingIfNeeded: segment.start))
  }

  /// Whether the consumer with this epoch can claim slots.
  func isOpen(for epoch: UInt64) -> Bool {
    let current = UInt32(truncatingIfNeeded: word.load(ordering: .relaxed))
    return current == UInt32(truncatingIfNeeded: epoch)
  }

  /// From now on nobody can claim slots without the cursor's lock. Returns the word as it was.
  func close() -> UInt64 {
    var old = word.load(ordering: .relaxed)
    while true {
      let number = UInt32(truncatingIfNeeded: old >> 32)
      let (exchanged, original) = word.compareExchange(
        expected: old, desired: Self.word(number: number, epoch: Self.nobody),
        ordering: .acquiringAndReleasing)
      if exchanged { return old }
      old = original
    }
  }

  /// Lets the consumer with this epoch claim slots. The place is closed, and all claims are finished.
  func open(for epoch: UInt64) {
    finished.store(next, ordering: .relaxed)
    word.store(Self.word(number: next, epoch: epoch), ordering: .releasing)
  }

  /// Whether a claim was not finished, while its consumer does something else. Acquires those that were.
  var hasUnfinishedClaims: Bool {
    !isOpen(for: Self.onlyEpoch) && finished.load(ordering: .acquiring) != next
  }

  /// Claims the next slot if it is known and the place is closed.
  func claimClosed() -> Claim? {
    guard isOpen(for: Self.nobody), let segment, ready(after: word.load(ordering: .relaxed)) > 0
    else { return nil }
    let index = Int(next &- UInt32(truncatingIfNeeded: segment.start))
    word.store(Self.word(number: next &+ 1, epoch: Self.nobody), ordering: .relaxed)
    return Claim(segment.pendingReads, segment.elements, at: index, count: 1)
  }

  var isAtEndOfSegment: Bool { number.map { $0 == segment?.end } ?? false }

  /// Goes on to the next segment, if there is one. A subscriber that came when a segment was full begins at
  /// its end, so there may be two steps.
  func goToNextSegment() {
    while isAtEndOfSegment, let segment, let next = segment.next {
      next.retain()
      header.store(next.header, ordering: .releasing)
      elements.store(next.elements, ordering: .releasing)
      start.store(UInt32(truncatingIfNeeded: next.start), ordering: .releasing)
      segment.release()
    }
  }

  /// Extends the reach, and looks for slots there. True if one is there.
  func lookFurther(_ published: Int) -> Bool {
    guard let segment, let number else { return false }
    let end = min(segment.end, number + Self.longestRun)
    reach.store(UInt32(truncatingIfNeeded: end), ordering: .releasing)
    return refresh(published)
  }

  /// Looks for slots within reach. True if one is there.
  func refresh(_ published: Int) -> Bool {
    refresh(published, after: word.load(ordering: .relaxed)) > 0
  }

  /// Knows of at most so many slots, until it looks again.
  func forgetKnown(but count: UInt32) {
    guard ready(after: word.load(ordering: .relaxed)) > count else { return }
    known.store(next &+ count, ordering: .releasing)
  }
}
