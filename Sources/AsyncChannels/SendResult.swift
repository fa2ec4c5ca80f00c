/// Whether an element was sent, and to how many subscriptions. Check it if the channel may be finished, or a gate closed.
public enum SendResult<Element: Sendable>: Sendable {
  /// It was sent to this many subscriptions.
  ///
  /// Whether a subscription's consumer takes the element, or its policy drops it first, is not
  /// known yet.
  case sent(subscribers: Int)

  /// The channel is finished: nothing has changed, and the sender gets the element back.
  case finished(Element)

  /// A gate was closed (``Inlet/when(_:function:fileID:)``): nothing has changed, and the sender gets the element back.
  case refused(Element)

  /// - Parameter subscribers: Nil if the channel is finished.
  @inlinable
  init(of element: Element, subscribers: Int?) {
    self = subscribers.map { .sent(subscribers: $0) } ?? .finished(element)
  }
}

extension SendResult: Equatable where Element: Equatable {}
