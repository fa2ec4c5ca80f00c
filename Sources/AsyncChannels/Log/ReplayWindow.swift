/// The last `limit` elements sent, for later subscribers. Touched only under the log's lock.
@frozen @usableFromInline
struct ReplayWindow<Element: Sendable>: ~Copyable {
  /// How many elements were ever added.
  @usableFromInline var total = 0
  /// Zero for a log that replays nothing.
  @usableFromInline let limit: Int
  @usableFromInline var elements = RingBuffer<Element>()

  @inlinable
  init(limit: Int) {
    self.limit = limit
  }

  /// The only element of a window of one, as state has; there must be one.
  @inlinable
  var newest: Element { elements.first }

  /// Adds an element; the one that falls out of the window is evicted.
  @inlinable
  mutating func slide(adding element: Element, evicting evicted: inout Evicted<Element>) {
    if elements.count == limit {
      evicted.add(elements.replaceFirst(appending: element))
    } else {
      elements.append(element)
    }
    total += 1
  }

  /// Empties the window; what was in it is the caller's to release.
  mutating func takeAll() -> RingBuffer<Element> {
    exchange(&elements, with: RingBuffer())
  }
}
