/// A reader's place in the log: which slot its consumer takes next. Touched with the cursor's lock held, or by the
/// only iterator (see `Waiter`).
@frozen @usableFromInline
struct Position {
  /// How many elements a consumer takes before it comes to the slow path, where it looks at its task's
  /// cancellation (C19).
  private static var longestRun: Int { 64 }

  /// The segment of the next slot, which this holds; nil if there is nothing to read.
  @usableFromInline private(set) var segment: Segment?
  /// The next slot's number.
  @usableFromInline private(set) var number: Int
  /// Slots with lower numbers were seen to be published. They are in the segment.
  @usableFromInline private(set) var known: Int
  /// The fast path takes slots with lower numbers. They are in the segment.
  @usableFromInline private(set) var reach: Int

  /// - Parameter segment: Comes with a hold; nil for a subscriber that reads a queue, or nothing.
  @usableFromInline
  init(in segment: Segment?, number: Int) {
    self.segment = segment
    // The first take goes the slow way, on which a cancelled task takes nothing.
    (self.number, known, reach) = (number, number, number)
  }

  @inlinable
  var isKnown: Bool { number < known }

  /// Looks for slots within reach, now that it is known how many are published. True if one is there.
  @inlinable
  mutating func look(_ published: Int) -> Bool {
    known = min(published, reach)
    return isKnown
  }

  /// Takes the element of the next slot, which is known.
  @inlinable @inline(__always)
  mutating func take<Element>(_: Element.Type = Element.self) -> Element {
    let segment = segment.unsafelyUnwrapped
    let index = number &- segment.start
    number &+= 1
    return Segment.take(
      from: segment.elements.assumingMemoryBound(to: Element.self) + index,
      segment.pendingReads + index)
  }

  /// A copy of the newest element that was not taken; nil if there is none.
  func newest<Element>(of published: Int) -> Element? {
    guard var segment, number < published else { return nil }
    while segment.end < published, let next = segment.next { segment = next }
    return
      (segment.elements.assumingMemoryBound(to: Element.self) + (published - 1 - segment.start))
      .pointee
  }

  /// Goes on to the next segment if this one is read, extends the reach, and looks for slots there. True if one is
  /// there.
  mutating func advance(_ published: Int) -> Bool {
    guard var current = segment else { return false }
    // A subscriber that came when a segment was full begins at its end, so there may be two steps.
    while number == current.end, let next = current.releaseForNext() { current = next }
    segment = current
    reach = min(current.end, number + Self.longestRun)
    return look(published)
  }

  /// Knows of no more, until it looks again.
  mutating func forgetKnown() { known = number }
}
