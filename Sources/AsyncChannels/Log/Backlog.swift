/// First in, first out: a ring in an array that grows as it is used.
///
/// The limits are the callers'. Elements leave by being moved out, so none is destroyed here.
struct Backlog<Element: Sendable>: Sendable {
  private var slots: ContiguousArray<Element?> = []
  private var head = 0
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  var last: Element? { isEmpty ? nil : slots[wrap(head + count - 1)] }

  mutating func append(_ element: Element) {
    if count == slots.count { grow() }
    slots[wrap(head + count)] = element
    count += 1
  }

  mutating func popFirst() -> Element? {
    guard !isEmpty else { return nil }
    let element = slots[head].take()
    head = wrap(head + 1)
    count -= 1
    return element
  }

  func forEach(_ body: (Element) -> Void) {
    for offset in 0..<count {
      if let element = slots[wrap(head + offset)] { body(element) }
    }
  }

  private func wrap(_ index: Int) -> Int {
    index < slots.count ? index : index - slots.count
  }

  /// Twice the room, from the first element on.
  private mutating func grow() {
    var larger = ContiguousArray<Element?>()
    larger.reserveCapacity(max(1, count * 2))
    for offset in 0..<count { larger.append(slots[wrap(head + offset)].take()) }
    while larger.count < max(1, count * 2) { larger.append(nil) }
    slots = larger
    head = 0
  }
}
