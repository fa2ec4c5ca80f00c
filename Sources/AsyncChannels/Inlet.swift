/// The end of a channel that can only send.
///
/// An input of a view model or a manager is an `Inlet`. Whoever holds it can feed it, and can
/// neither listen to what others send nor finish the channel. Since it is a type of its own, a
/// protocol can require it:
///
/// ```swift
/// public protocol AuthViewModelType: ViewModel {
///   var signIn: Inlet<Credentials> { get }
/// }
///
/// viewModel.signIn.send(credentials)
/// ```
///
/// An inlet is a small value to copy and to pass between isolations. It does not keep its channel
/// alive: when that is gone, sending returns `.finished`.
public struct Inlet<Element: Sendable>: Sendable {
  @usableFromInline
  enum Target: Sendable {
    case log(BroadcastLog<Element>)
    case function(@Sendable (Element) -> SendResult<Element>)
  }

  @usableFromInline let target: Target

  init(to log: BroadcastLog<Element>) {
    target = .log(log)
  }

  /// An inlet that does as `send` says, the result included.
  package static func calling(
    _ send: @escaping @Sendable (Element) -> SendResult<Element>
  ) -> Inlet {
    Inlet(target: .function(send))
  }

  private init(target: Target) {
    self.target = target
  }

  /// Makes an inlet that calls a function with each element: for previews, spies and bridges.
  ///
  /// The function is called by whoever sends, on the sender's thread, and possibly by several at
  /// once. Such an inlet never finishes, and counts as one subscriber.
  public init(_ receive: @escaping @Sendable (Element) -> Void) {
    target = .function { element in
      receive(element)
      return .sent(subscribers: 1)
    }
  }

  /// Sends an element to all who are subscribed now.
  ///
  /// Does not block and may be called from any thread or isolation. A sender's elements arrive in
  /// the order in which it sent them. Costs O(1), whatever the number of unbounded subscribers.
  ///
  /// - Returns: `.finished` with the element if the channel is finished or gone.
  @inlinable @discardableResult
  public func send(_ element: Element) -> SendResult<Element> {
    switch target {
    case .log(let log):
      SendResult(of: element, subscribers: log.send(element, replayed: true))
    case .function(let send): send(element)
    }
  }

  /// An inlet for another type of element, which is transformed and then sent here.
  ///
  /// Several inputs can share one channel in this way, and so one order:
  ///
  /// ```swift
  /// let addMember: Inlet<String> = commands.inlet.contramap { .add(name: $0) }
  /// let removeMember: Inlet<Member> = commands.inlet.contramap { .remove($0) }
  /// ```
  ///
  /// - Parameter transform: Runs once for each element, on the sender's thread. If the channel is
  ///   finished, the sender gets back the element as it sent it.
  public func contramap<Source>(
    _ transform: @escaping @Sendable (Source) -> Element
  ) -> Inlet<Source> {
    .calling { source in
      switch send(transform(source)) {
      case .sent(let subscribers): .sent(subscribers: subscribers)
      case .finished: .finished(source)
      }
    }
  }
}

extension Inlet<Void> {
  /// Sends to all who are subscribed now.
  @discardableResult
  public func send() -> SendResult<Void> {
    send(())
  }
}
