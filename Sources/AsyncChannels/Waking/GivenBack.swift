/// Elements that consumers took, did not use and gave back: the next consumer takes them before all others.
///
/// Those of an older consumer come first, whichever gave back first. Those of one consumer are in the order in
/// which it gave them back, which is that of taking.
struct GivenBack {
  /// The first one last, with its consumer's ticket.
  private var elements: [(ticket: UInt64, element: any Sendable)] = []

  var isEmpty: Bool { elements.isEmpty }
  var count: Int { elements.count }

  mutating func insert(_ new: [any Sendable], of ticket: UInt64) {
    // Before those that were taken before.
    let place = elements.firstIndex { $0.ticket <= ticket } ?? elements.endIndex
    elements.insert(contentsOf: new.reversed().map { (ticket, $0) }, at: place)
  }

  mutating func popFirst() -> (any Sendable)? {
    guard let first = elements.popLast() else { return nil }
    if elements.isEmpty { elements = [] }
    return first.element
  }
}
