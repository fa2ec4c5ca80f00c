/// Elements that there is no room for any more, to be released by a caller that holds no lock.
///
/// The first is kept in place, without an allocation: a replay window of one evicts one at each
/// send.
@frozen @usableFromInline
struct Evicted<Element: Sendable>: ~Copyable {
  @usableFromInline var first: Element?
  @usableFromInline var others = RingBuffer<Element>()

  @inlinable
  init() {}

  @inlinable
  mutating func add(_ element: Element) {
    // A trivial element has nothing to be released.
    if _isPOD(Element.self) { return }
    if first == nil { first = element } else { others.append(element) }
  }
}
