public import Synchronization

/// A reader's place in the log. It holds its segment.
///
/// `@unchecked Sendable`: used only by the consumer that has the cursor's lease. What it points to
/// is shared as the invariants of `Segment` allow.
@usableFromInline
struct Position: @unchecked Sendable {
  @usableFromInline var segment: Segment
  /// The segment's counts and elements, kept here for the fast path.
  @usableFromInline var pendingReads: UnsafeMutablePointer<Atomic<UInt32>>
  @usableFromInline var elements: UnsafeMutableRawPointer
  /// The next slot to read.
  @usableFromInline var index: Int
  /// How many slots of the segment were seen to be published; at least `index`.
  @usableFromInline var limit: Int

  /// Takes a hold on the segment.
  init(at end: LogEnd) {
    end.segment.retain()
    segment = end.segment
    index = end.index
    limit = end.index
    pendingReads = segment.pendingReads
    elements = segment.elements
  }

  /// Takes the next element if one is known to be published in this segment.
  ///
  /// A reader that is the only one left moves the element out; others copy it and then count down.
  /// Counting down releases this reader's copy and acquires the copies of the others. So a reader
  /// that brings the count to zero, or reads a count of one, knows that all other copies are
  /// complete, and that no other reader will come.
  ///
  /// An element of a trivial type is nobody's to destroy, so it is copied and not counted, unless the
  /// log counts all (`LogState.countsAll`). Then its count is not zero before this reader has counted
  /// down. The hold on the segment keeps the slot alive.
  @inlinable @inline(__always)
  mutating func takeKnown<Element>(_: Element.Type) -> Element? {
    guard index < limit else { return nil }
    let slot = index
    index = slot &+ 1
    let place = elements.assumingMemoryBound(to: Element.self) + slot
    let owed = pendingReads[slot].load(ordering: .acquiring)
    if _isPOD(Element.self), owed == 0 { return place.pointee }
    if owed == 1 {
      pendingReads[slot].store(0, ordering: .relaxed)
      return place.move()
    }
    let element = place.pointee
    if pendingReads[slot].wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 {
      place.deinitialize(count: 1)
    }
    return element
  }

  /// Looks for newly published elements in this segment.
  @inlinable
  mutating func refresh() -> Bool {
    limit = segment.published
    return index < limit
  }

  /// Knows of the next element only, from now on; returns its number in the log.
  mutating func takeOnly() -> Int? {
    guard index < limit else { return nil }
    limit = index + 1
    return number
  }

  /// Knows of no element, until it looks again.
  mutating func forgetKnown() {
    limit = index
  }

  /// Goes on to the next segment if this one is read to its end, and looks for elements there.
  mutating func advance() -> Bool {
    goToNextSegment()
    return refresh()
  }

  /// How many slots of the log are before it.
  var number: Int { segment.start + index }

  /// Gives up everything before `end` unread, and the hold.
  ///
  /// Elements may be destroyed here, and run code of theirs.
  @usableFromInline
  mutating func abandon<Element>(upTo end: LogEnd, of _: Element.Type) {
    while segment != end.segment {
      skip(to: segment.capacity, of: Element.self)
      goToNextSegment()
    }
    skip(to: end.index, of: Element.self)
    segment.release()
  }

  /// Does nothing before the segment's end, or if there is no segment behind it yet.
  private mutating func goToNextSegment() {
    guard index == segment.capacity, let next = segment.next else { return }
    let old = segment
    self = Position(at: LogEnd(segment: next, index: 0))
    old.release()
  }

  /// Counting down acquires the copies of the readers before, for the one that destroys the
  /// element. There is nothing to release: the element was not read here.
  private mutating func skip<Element>(to end: Int, of _: Element.Type) {
    let places = elements.assumingMemoryBound(to: Element.self)
    let isTrivial = _isPOD(Element.self)
    while index < end {
      let slot = index
      index += 1
      if isTrivial, pendingReads[slot].load(ordering: .relaxed) == 0 { continue }
      if pendingReads[slot].wrappingSubtract(1, ordering: .acquiring).newValue == 0 {
        (places + slot).deinitialize(count: 1)
      }
    }
  }
}
