/// A broadcast stream: each element that is sent goes to every listener. Make one in an actor, or wherever
/// `@Input` and `@Output` do not fit.
///
/// Its owner, a view model or a manager for example, keeps the channel to itself and hands out the one
/// end that each caller needs: the ``inlet``, which can only send, or the ``outlet``, which can only be
/// listened to.
///
/// ```swift
/// public actor Thermometer {
///   private let readings = Channel<Double>(replaying: 1)
///   public nonisolated var temperature: Outlet<Double> { readings.outlet }
///
///   func measured(_ celsius: Double) {
///     readings.send(celsius)
///   }
/// }
///
/// for await celsius in thermometer.temperature { … }
/// ```
///
/// Every subscriber sees the same elements in the same order, and each sender's own order is kept.
/// Sending and subscribing are synchronous: elements sent after ``Outlet/subscribe(buffering:)``
/// returns are delivered to that subscription.
///
/// It is not a queue between workers: each element goes to *every* subscriber, and no sender waits for
/// a slow one. Without a subscriber and a replay window, an element is not stored. An owner whose elements must
/// not be missed while no view listens keeps a ``Subscription`` and hands that out.
///
/// The owner decides the end. ``finish()``, or dropping the last reference to the channel, ends
/// every outlet after the elements that were already sent. Inlets, outlets, subscriptions and waiting tasks do
/// not keep a channel alive.
///
/// ### Costs
/// An unused channel is a few hundred bytes. ``send(_:)`` is O(1) for any number of unbounded
/// subscribers, and O(1) more for each bounded one. An element is stored once for all
/// unbounded subscribers and released when the last of them has taken it.
@_fixed_layout
public final class Channel<Element: Sendable>: Sendable {
  /// The end that can only send.
  public let inlet: Inlet<Element>

  /// The end that can only be listened to.
  public let outlet: Outlet<Element>

  @usableFromInline let log: BroadcastLog<Element>

  /// Makes a channel.
  ///
  /// - Parameters:
  ///   - count: How many of the last elements a new subscription begins with, oldest first.
  ///     They are kept until newer ones push them out, or the channel ends. Traps if negative.
  ///   - policy: The buffering policy of subscriptions that do not name their own.
  @inlinable
  public init(replaying count: Int = 0, buffering policy: BufferingPolicy = .unbounded) {
    log = BroadcastLog(replaying: count, buffering: policy)
    inlet = Inlet(to: log)
    outlet = Outlet(of: log)
  }

  deinit {
    log.finish()
  }

  /// Sends an element to all current subscribers. Use it in the owner, which keeps the channel.
  ///
  /// Does not block and may be called from any thread or isolation, from inside a consumer's loop
  /// and from an element's `deinit`.
  ///
  /// - Returns: `.finished` with the element if the channel is finished; nothing has changed then.
  @inlinable @discardableResult
  public func send(_ element: Element) -> SendResult<Element> {
    send(element, replayed: true)
  }

  /// Sends an element to all current subscribers, and decides whether it is replayed to later ones.
  ///
  /// An element that is not replayed leaves the replay window as it is. So an event, a failure
  /// for example, can go to the current subscribers, while a later subscriber begins with the
  /// last state:
  ///
  /// ```swift
  /// results.send(.success(members))
  /// results.send(.failure(.invalidName), replayed: false)
  /// ```
  @inlinable @discardableResult
  public func send(_ element: Element, replayed: Bool) -> SendResult<Element> {
    SendResult(of: element, subscribers: log.send(element, replayed: replayed))
  }

  /// Ends every outlet after the elements that were already sent. Finishing twice is the same as finishing
  /// once.
  ///
  /// Subscribers get the elements that were sent before, and then `nil`. A later subscriber gets `nil`
  /// immediately, even on a replaying channel. Sending no longer has an effect.
  public func finish() {
    log.finish()
  }

  /// How many subscriptions there are now; zero once the channel is finished.
  public var subscriberCount: Int { log.subscriberCount }
}

// Emitted into clients: this library would have a copy of all that sending does for `Void` alone.
extension Channel<Void> {
  /// Sends an element without content to all current subscribers.
  @_alwaysEmitIntoClient @discardableResult
  public func send() -> SendResult<Void> {
    send(())
  }
}
