/// Elements that consumers took, did not use and gave back: the next consumer takes them before all others.
///
/// Those of an older consumer come first, whichever gave back first. Those of one consumer are in the order in
/// which it gave them back, which is that of taking. What a consumer took of these comes before those that it left.
struct ReturnedElements {
  /// The first one last, with the epoch of a consumer. Its own come before this, and those of newer ones after it.
  private var elements: [(epoch: UInt64, element: any Sendable)] = []

  var isEmpty: Bool { elements.isEmpty }
  var count: Int { elements.count }

  mutating func insert(_ new: [any Sendable], of epoch: UInt64) {
    // Before those that were taken before.
    let place = elements.firstIndex { $0.epoch <= epoch } ?? elements.endIndex
    elements.insert(contentsOf: new.reversed().map { (epoch, $0) }, at: place)
  }

  /// Takes the first one for a consumer, which may give it back.
  mutating func popFirst(as epoch: UInt64) -> (any Sendable)? {
    guard let first = elements.popLast() else { return nil }
    if elements.isEmpty { elements = [] }
    // Once for a consumer: then all are of newer ones.
    for index in elements.indices.reversed() {
      if elements[index].epoch > epoch { break }
      elements[index].epoch = epoch + 1
    }
    return first.element
  }
}
