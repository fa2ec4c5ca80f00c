/// Where a new subscriber begins.
@frozen @usableFromInline
struct StartingPoint {
  /// The segment to begin in, with a hold; nil for a bounded subscriber, and after the end.
  @usableFromInline var segment: Segment?
  /// The number of the slot to begin with.
  @usableFromInline var number: Int
  /// The number of the first slot that belongs to the log. Those before were replayed.
  @usableFromInline let firstInLog: Int
  /// Whether the log counts it as a reader.
  @usableFromInline var isReader = false
  /// The subscriber's number; zero for one that came after the end.
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
    segment = end.segment
    guard replayed.count > 0 else { return end.segment.retain() }
    let first = Segment.make(
      for: Element.self, before: end.segment, number: number, holding: replayed.count)
    var index = 0
    replayed.forEach {
      first.write($0, at: index, pendingReads: 1)
      index += 1
    }
    (segment, number) = (first, first.start)
  }
}
