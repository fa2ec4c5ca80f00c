/// First in, first out: a ring that grows as it is used.
///
/// The limits are the callers'. Elements leave by being moved out; what is left is destroyed with
/// the backlog. It has one owner, which touches it under the log's lock or alone.
@frozen @usableFromInline
package struct RingBuffer<Element: Sendable>: ~Copyable {
  /// `count` slots from `head` on are initialized; behind the last slot, the ring goes on with the
  /// first.
  ///
  /// A pointer, since an array of optionals costs generic code a look-up at each step.
  @usableFromInline var slots: UnsafeMutablePointer<Element>?
  @usableFromInline var capacity = 0
  @usableFromInline var head = 0
  @usableFromInline var count = 0

  @inlinable
  package init() {}

  @inlinable
  deinit {
    for offset in 0..<count { slot(offset).deinitialize(count: 1) }
    slots?.deallocate()
  }

  /// The element that was added first; there must be one.
  @inlinable
  var first: Element {
    precondition(count > 0, "An empty ring buffer has no first element.")
    return slot(0).pointee
  }

  /// The element that was added last.
  var last: Element? { count == 0 ? nil : slot(count - 1).pointee }

  @inlinable
  package mutating func append(_ element: Element) {
    if count == capacity { grow() }
    slot(count).initialize(to: element)
    count += 1
  }

  @inlinable
  package mutating func popFirst() -> Element? {
    guard count > 0 else { return nil }
    let first = slot(0)
    head = head + 1 == capacity ? 0 : head + 1
    count -= 1
    return first.move()
  }

  /// Appends an element, removes the first, and returns it; there must be one.
  @inlinable @inline(__always)
  mutating func replaceFirst(appending element: Element) -> Element {
    precondition(count > 0, "An empty ring buffer has no first element.")
    let first = slot(0).move()
    // Of a full ring, this is the slot that has just become free.
    slot(count).initialize(to: element)
    head = head + 1 == capacity ? 0 : head + 1
    return first
  }

  @inlinable
  func forEach(_ body: (Element) -> Void) {
    for offset in 0..<count { body(slot(offset).pointee) }
  }

  /// - Parameter offset: At most `capacity`.
  @inlinable
  func slot(_ offset: Int) -> UnsafeMutablePointer<Element> {
    guard let slots else { preconditionFailure("A ring buffer without room has no slots.") }
    let index = head + offset
    return slots + (index < capacity ? index : index - capacity)
  }

  /// Twice the room, from the first element on.
  @inlinable
  mutating func grow() {
    let larger = UnsafeMutablePointer<Element>.allocate(capacity: max(1, capacity * 2))
    for offset in 0..<count { (larger + offset).moveInitialize(from: slot(offset), count: 1) }
    slots?.deallocate()
    slots = larger
    capacity = max(1, capacity * 2)
    head = 0
  }
}
