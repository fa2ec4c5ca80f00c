/// First in, first out: a ring that grows as it is used.
///
/// The limits are the callers'. Elements leave by being moved out; what is left is destroyed with
/// the backlog. It has one owner, which touches it under the log's lock or alone.
struct Backlog<Element: Sendable>: ~Copyable {
  /// Those from `head` on, `count` of them, are initialized; the ring goes on at the beginning.
  ///
  /// By hand, since an array of optionals costs generic code a look-up at each step.
  private var slots: UnsafeMutablePointer<Element>?
  private var capacity = 0
  private var head = 0
  private(set) var count = 0

  init() {}

  deinit {
    for offset in 0..<count { slot(offset).deinitialize(count: 1) }
    slots?.deallocate()
  }

  /// The element added last; there must be one.
  var last: Element {
    precondition(count > 0, "An empty backlog has no last element.")
    return slot(count - 1).pointee
  }

  mutating func append(_ element: Element) {
    if count == capacity { grow() }
    slot(count).initialize(to: element)
    count += 1
  }

  mutating func popFirst() -> Element? {
    count > 0 ? removeFirst().move() : nil
  }

  /// Moves the first element to the end of another; there must be one.
  mutating func moveFirst(to other: inout Backlog) {
    if other.count == other.capacity { other.grow() }
    other.slot(other.count).moveInitialize(from: removeFirst(), count: 1)
    other.count += 1
  }

  func forEach(_ body: (Element) -> Void) {
    for offset in 0..<count { body(slot(offset).pointee) }
  }

  /// Returns the first slot, whose element is the caller's to move out at once.
  private mutating func removeFirst() -> UnsafeMutablePointer<Element> {
    precondition(count > 0, "An empty backlog has no first element.")
    let first = slot(0)
    head = head + 1 == capacity ? 0 : head + 1
    count -= 1
    return first
  }

  /// - Parameter offset: Below `capacity`.
  private func slot(_ offset: Int) -> UnsafeMutablePointer<Element> {
    guard let slots else { preconditionFailure("A backlog without room has no slots.") }
    let index = head + offset
    return slots + (index < capacity ? index : index - capacity)
  }

  /// Twice the room, from the first element on.
  private mutating func grow() {
    let larger = UnsafeMutablePointer<Element>.allocate(capacity: max(1, capacity * 2))
    for offset in 0..<count { (larger + offset).moveInitialize(from: slot(offset), count: 1) }
    slots?.deallocate()
    slots = larger
    capacity = max(1, capacity * 2)
    head = 0
  }
}
