/// What a call of `answer` takes its elements from. It knows the type of its elements, and who asks does not:
/// generic code looks types up at each step.
protocol AnswerSource {
  /// Waits until there may be something to take. False at the end, if the task is cancelled, or if a newer
  /// consumer has asked.
  func waitForElement(isolation: isolated (any Actor)?) async -> Bool

  func take() -> TakenWork
}

/// A sequence that is neither a subscription nor an outlet. To wait is to take.
final class IteratedSource<Base: AsyncIteratorProtocol>: AnswerSource
where Base.Failure == Never, Base.Element: Sendable {
  private var iterator: Base
  private var next: Work<Base.Element>?

  init(_ iterator: Base) { self.iterator = iterator }

  func waitForElement(isolation: isolated (any Actor)?) async -> Bool {
    if Task.isCancelled { return false }
    var iterator = iterator
    next = await iterator.next(isolation: isolation).map { Work($0) }
    self.iterator = iterator
    return next != nil
  }

  func take() -> TakenWork {
    next.take().map { .work($0) } ?? .nothing
  }
}
