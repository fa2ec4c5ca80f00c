/// Where elements go that are abandoned.
typealias Abandoned<Element> = @isolated(any) @Sendable (Element) -> Void

/// Where answers go: without the element that they answer, or with it.
enum Publish<Element: Sendable, Answer: Sendable>: Sendable {
  case answer(@isolated(any) @Sendable (Answer) -> Void)
  case both(@isolated(any) @Sendable (Element, Answer) -> Void)

  var isolation: (any Actor)? {
    switch self {
    case .answer(let publish): publish.isolation
    case .both(let publish): publish.isolation
    }
  }

  /// In the isolation, this does not suspend.
  @inline(__always)
  func callAsFunction(_ answer: Answer, to element: Element) async {
    switch self {
    case .answer(let publish): await publish(answer)
    case .both(let publish): await publish(element, answer)
    }
  }
}
