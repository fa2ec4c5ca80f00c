/// The last `limit` elements sent, for subscribers still to come.
///
/// `@unchecked Sendable`: touched only under the log's lock.
final class ReplayWindow<Element: Sendable>: @unchecked Sendable {
  /// How many elements were ever added.
  private(set) var total = 0
  private let limit: Int
  private var elements = Backlog<Element>()

  /// - Parameter limit: Greater than zero.
  init(limit: Int) {
    self.limit = limit
  }

  /// The element added last; there must be one.
  var newest: Element { elements.last }

  /// Adds an element; the one that falls out of the window is displaced.
  func slide(adding element: Element, displacing displaced: inout Backlog<Element>) {
    if elements.count == limit { elements.moveFirst(to: &displaced) }
    elements.append(element)
    total += 1
  }

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
