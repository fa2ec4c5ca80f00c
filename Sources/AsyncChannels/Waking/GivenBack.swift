/// Elements that consumers took, did not use and gave back: the next consumer takes them before all others.
///
/// Those of an older consumer come first, whichever gave back first. Those of one consumer are in the order in
/// which it gave them back, which is that of taking. What a consumer took of these comes before those that it left.
struct GivenBack {
  /// The first one last, with the ticket of a consumer. Its own come before this, and those of newer ones after it.
  private var elements: [(ticket: UInt64, element: any Sendable)] = []

  var isEmpty: Bool { elements.isEmpty }
  var count: Int { elements.count }

  mutating func insert(_ new: [any Sendable], of ticket: UInt64) {
    // Before those that were taken before.
    let place = elements.firstIndex { $0.ticket <= ticket } ?? elements.endIndex
    elements.insert(contentsOf: new.reversed().map { (ticket, $0) }, at: place)
  }

  /// Takes the first one for a consumer, which may give it back.
  mutating func popFirst(as ticket: UInt64) -> (any Sendable)? {
    guard let first = elements.popLast() else { return nil }
    if elements.isEmpty { elements = [] }
    // Once for a consumer: then all are of newer ones.
    for index in elements.indices.reversed() {
      if elements[index].ticket > ticket { break }
      elements[index].ticket = ticket + 1
    }
    return first.element
  }
}
