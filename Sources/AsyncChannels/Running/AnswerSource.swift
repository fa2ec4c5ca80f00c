/// What a call of `answer` takes its elements from.
enum AnswerSource<Element: Sendable> {
  case subscription(Consumer<Element>)
  /// To wait is to take, and nothing is given back.
  case foreign(any ForeignSource<Element>)

  /// Waits until there may be something to take. False at the end, if the task is cancelled, or if a newer
  /// consumer has asked.
  func waitForElement(isolation: isolated (any Actor)?) async -> Bool {
    switch self {
    case .subscription(let consumer): await consumer.waitForElement(isolation: isolation)
    case .foreign(let source): await source.waitForElement(isolation: isolation)
    }
  }

  func take() -> TakenTurn {
    switch self {
    case .subscription(let consumer): consumer.take()
    case .foreign(let source): source.take()
    }
  }
}

/// A sequence that is neither a subscription nor an outlet.
protocol ForeignSource<Element> {
  associatedtype Element: Sendable

  func waitForElement(isolation: isolated (any Actor)?) async -> Bool
  func take() -> TakenTurn
}

final class IteratedSource<Base: AsyncIteratorProtocol>: ForeignSource
where Base.Failure == Never, Base.Element: Sendable {
  typealias Element = Base.Element

  private var iterator: Base
  private var next: Turn<Base.Element>?

  init(_ iterator: Base) {
    self.iterator = iterator
  }

  func waitForElement(isolation: isolated (any Actor)?) async -> Bool {
    if Task.isCancelled { return false }
    var iterator = iterator
    next = await iterator.next(isolation: isolation).map { Turn($0) }
    self.iterator = iterator
    return next != nil
  }

  func take() -> TakenTurn {
    next.take().map { .turn($0) } ?? .nothing
  }
}
