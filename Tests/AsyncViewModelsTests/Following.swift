import AsyncChannels
import TestSupport

/// Follows an outlet from where it was made, one element at a time.
struct Follower<Element: Sendable>: Sendable {
  private let subscription: Subscription<Element>

  init(_ outlet: Outlet<Element>) {
    subscription = outlet.subscribe()
  }

  /// The next element, which must come; nil at the end.
  func next() async throws -> Element? {
    try await within { await subscription.first { _ in true } }
  }

  /// The next `count` elements, which must come.
  func next(_ count: Int) async throws -> [Element] {
    var elements: [Element] = []
    for _ in 0..<count {
      guard let element = try await next() else { break }
      elements.append(element)
    }
    return elements
  }

  /// Takes elements up to one that satisfies `isWanted`.
  func next(where isWanted: @escaping @Sendable (Element) -> Bool) async throws -> Element? {
    try await within { await subscription.first(where: isWanted) }
  }
}
