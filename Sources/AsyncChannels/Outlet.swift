/// The end of a channel that can only be listened to: the type of each output of a view model or a manager.
///
/// Any number of `for await` loops can listen concurrently. Each gets every element that its policy keeps. Code that holds
/// an outlet can neither send nor finish the channel. Since an outlet is a type of its own, a protocol can
/// require it.
///
/// ```swift
/// for await result in viewModel.signInResult {
///   render(result)
/// }
/// ```
///
/// **Every `for await` is a subscription of its own.** It gets the elements that the channel replays, and
/// then everything that is sent after it began. It begins when the loop makes its iterator, which in
/// `Task { for await … }` is when the task begins to run. To miss nothing before that, call
/// ``subscribe(buffering:)`` first, and let the task consume the subscription.
///
/// - **Overflow**: follows the channel's ``BufferingPolicy``, or the subscription's own.
/// - **Finish**: the loop gets the elements that were sent before, and ends. There are no errors.
/// - **Cancel**: cancelling the task ends its loop immediately if it waits, and no later than 64
///   elements later if there is always one ready. A task that was cancelled before its loop began
///   gets no element.
/// - **Costs**: subscribing is O(1) plus O(the replayed elements). Taking an element does not depend on the
///   number of subscribers. Leaving is O(1) plus O(the elements not taken).
///
/// An outlet does not keep its channel alive, and accumulates nothing without a subscriber.
@frozen
public struct Outlet<Element: Sendable>: AsyncSequence, Subscribable {
  @usableFromInline
  enum Source: Sendable {
    case log(BroadcastLog<Element>)
    case upstreams(
      of: @Sendable () -> [BroadcastLogBase], @Sendable (BufferingPolicy?) -> Upstream<Element>)
  }

  @usableFromInline let source: Source

  @inlinable
  init(of log: BroadcastLog<Element>) {
    source = .log(log)
  }

  /// An outlet with a upstream of its own, made by `makeUpstream`, for each subscription.
  ///
  /// - Parameter logs: Those whose elements the upstreams take.
  @usableFromInline
  init(
    of logs: @escaping @Sendable () -> [BroadcastLogBase],
    _ makeUpstream: @escaping @Sendable (BufferingPolicy?) -> Upstream<Element>
  ) {
    source = .upstreams(of: logs, makeUpstream)
  }

  /// Itself.
  @inlinable
  public var outlet: Outlet { self }

  /// The logs whose elements its subscriptions take.
  @usableFromInline
  package var logs: [BroadcastLogBase] {
    switch source {
    case .log(let log): [log]
    case .upstreams(let logs, _): logs()
    }
  }

  /// An outlet that gives each subscriber these elements and then ends. Use it for previews and spies.
  ///
  /// A bounded subscription gets the elements that its policy keeps.
  public static func just(_ elements: Element...) -> Outlet {
    Outlet(of: { [] }) { policy in
      let log = BroadcastLog<Element>(replaying: 0, buffering: .unbounded)
      let cursor = log.subscribe(buffering: policy)
      for element in elements { _ = log.send(element, replayed: false) }
      log.finish()
      return .cursor(cursor)
    }
  }

  /// An outlet that ends without an element.
  public static var empty: Outlet { .just() }

  /// An outlet that gives no element and does not end. Use it for previews and spies in which nothing has
  /// happened yet.
  ///
  /// A loop over it ends when its task is cancelled.
  public static var never: Outlet {
    // Nobody has a handle on this log: so nothing is sent to it, and nothing finishes it.
    Outlet(of: BroadcastLog(replaying: 0, buffering: .unbounded))
  }

  /// Subscribes synchronously: elements sent after this returns are delivered, no matter when the
  /// subscription is consumed.
  ///
  /// ```swift
  /// let results = viewModel.signInResult.subscribe()
  /// viewModel.signIn.send(credentials)
  /// let result = await results.next()
  /// ```
  ///
  /// - Parameter policy: What happens when its consumer falls behind; the channel's policy if nil.
  @inlinable
  public func subscribe(buffering policy: BufferingPolicy? = nil) -> Subscription<Element> {
    Subscription(upstream(buffering: policy))
  }

  /// Subscribes with the channel's policy. The subscription lives as long as the iterator.
  @inlinable
  public func makeAsyncIterator() -> Subscription<Element>.Iterator {
    switch source {
    case .log(let log): .init(alone: log.subscribe(buffering: nil))
    case .upstreams(_, let makeUpstream): .init(makeUpstream(nil))
    }
  }

  @inlinable
  func upstream(buffering policy: BufferingPolicy?) -> Upstream<Element> {
    switch source {
    case .log(let log): .cursor(log.subscribe(buffering: policy))
    case .upstreams(_, let makeUpstream): makeUpstream(policy)
    }
  }
}
