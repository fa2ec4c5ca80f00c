/// Where a new subscriber begins.
@frozen @usableFromInline
struct StartingPoint {
  /// The segment to begin in, with a hold; nil for a bounded subscriber, and after the end if nothing was kept.
  @usableFromInline var segment: Segment?
  /// The number of the slot to begin with.
  @usableFromInline var number: Int
  /// The number of the first slot that belongs to the log. Those before were replayed or kept.
  @usableFromInline let firstInLog: Int
  /// Whether the log counts it as a reader.
  @usableFromInline var isReader = false
  /// Whether it came after the end, and nothing was kept for it.
  @usableFromInline var isPastTheEnd = false
  /// How many elements were dropped of what was kept for it.
  @usableFromInline var dropped = 0
  /// The subscriber's number.
  @usableFromInline let subscriber: Int

  /// - Parameters:
  ///   - subscriber: Its number.
  ///   - published: How many slots the log has.
  @inlinable
  init(_ subscriber: Int, behind published: Int) {
    self.subscriber = subscriber
    (number, firstInLog) = (published, published)
  }

  /// Begins with what is replayed, and goes on at the log's end. To be called with the log's lock held.
  @inlinable
  mutating func begin<Element>(at end: LogEnd, behind replayed: borrowing RingBuffer<Element>) {
    isReader = true
    guard replayed.count > 0 else {
      end.segment.retain()
      segment = end.segment
      return
    }
    let first = Segment.make(
      for: Element.self, before: end.segment, number: number, holding: replayed.count)
    var index = 0
    replayed.forEach {
      first.write($0, at: index, pendingReads: _isPOD(Element.self) ? 0 : 1)
      index += 1
    }
    (segment, number) = (first, first.start)
  }

  /// Begins with what was kept, and goes on where it would have begun. With no lock held: there may be many.
  @inlinable
  mutating func beginBehind<Element>(_ kept: inout RingBuffer<Element>) {
    let first = Segment.make(
      for: Element.self, before: segment, number: number, holding: kept.count)
    var index = 0
    while let element = kept.popFirst() {
      first.write(element, at: index, pendingReads: _isPOD(Element.self) ? 0 : 1)
      index += 1
    }
    // The new segment holds the one behind it.
    segment?.release()
    (segment, number) = (first, first.start)
  }
}
