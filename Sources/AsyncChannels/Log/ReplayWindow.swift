/// The last `limit` elements sent, for later subscribers.
///
/// `@unchecked Sendable`: touched only under the log's lock.
@usableFromInline
final class ReplayWindow<Element: Sendable>: @unchecked Sendable {
  /// How many elements were ever added.
  ///
  /// `exclusivity(unchecked)`, both: the log's lock is exclusive already.
  @exclusivity(unchecked) @usableFromInline var total = 0
  @usableFromInline let limit: Int
  @exclusivity(unchecked) @usableFromInline var elements = Backlog<Element>()

  /// - Parameter limit: Greater than zero.
  init(limit: Int) {
    self.limit = limit
  }

  /// The element added last; there must be one.
  @inlinable
  var newest: Element { elements.last }

  /// Adds an element; the one that falls out of the window is evicted.
  @inlinable
  func slide(adding element: Element, evicting evicted: inout Evicted<Element>) {
    if elements.count == limit, let oldest = elements.popFirst() { evicted.add(oldest) }
    elements.append(element)
    total += 1
  }

  @inlinable
  func forEach(_ body: (Element) -> Void) {
    elements.forEach(body)
  }

  /// Empties the window; what was in it is the caller's to release.
  func takeAll() -> Backlog<Element> {
    var all = Backlog<Element>()
    swap(&all, &elements)
    return all
  }
}
