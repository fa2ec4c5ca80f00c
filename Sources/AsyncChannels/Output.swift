/// An output of a class, for events such as the result of a sign-in. Outside it can only be listened to, and
/// only the declaring type can send.
///
/// ```swift
/// @MainActor
/// public final class AuthViewModel {
///   @Output public var signInResult: Outlet<Result<Token, AuthError>>
///
///   private func signedIn(_ token: Token) {
///     _signInResult.send(.success(token))
///   }
/// }
///
/// for await result in viewModel.signInResult { … }
/// ```
///
/// The underscored name is private to the type and its file. This keeps the two ends apart. The output ends
/// with ``finish()``, or when its owner is gone. For state, which has a value at any moment, use
/// ``CurrentValue``. In an actor, keep a ``Channel`` in a `let`: a `nonisolated` wrapper compiles there, and races.
@propertyWrapper
public struct Output<Element: Sendable>: Sendable {
  @usableFromInline let channel: Channel<Element>

  /// Makes an output, to which nobody listens yet.
  ///
  /// - Parameters:
  ///   - count: How many of the last elements a new subscription begins with. Traps if negative.
  ///   - policy: The buffering policy of subscriptions that do not name their own.
  public init(replaying count: Int = 0, buffering policy: BufferingPolicy = .unbounded) {
    channel = Channel(replaying: count, buffering: policy)
  }

  /// The end that callers get: it can only be listened to.
  public var wrappedValue: Outlet<Element> { channel.outlet }

  /// The listening end, as ``wrappedValue``. Use it for an output that stands in a `let`.
  public var outlet: Outlet<Element> { channel.outlet }

  /// The end that sends, for the declaring type to hand on: `bind(to: _results.inlet)`.
  ///
  /// It does not keep the output alive; when that is finished or gone, sending returns `.finished`.
  public var inlet: Inlet<Element> { channel.inlet }

  /// Sends an element to all current subscribers, as ``Channel/send(_:)`` does.
  @inlinable @discardableResult
  public func send(_ element: Element) -> SendResult<Element> {
    channel.send(element)
  }

  /// Sends an element, and decides whether it is replayed to later subscribers, as
  /// ``Channel/send(_:replayed:)`` does.
  @inlinable @discardableResult
  public func send(_ element: Element, replayed: Bool) -> SendResult<Element> {
    channel.send(element, replayed: replayed)
  }

  /// Ends the output after the elements that were already sent, as ``Channel/finish()`` does.
  public func finish() {
    channel.finish()
  }

  /// How many subscriptions there are now, as ``Channel/subscriberCount`` tells.
  public var subscriberCount: Int { channel.subscriberCount }
}

// Emitted into clients: this library would have a copy of all that sending does for `Void` alone.
extension Output<Void> {
  /// Sends an element without content to all current subscribers.
  @_alwaysEmitIntoClient @discardableResult
  public func send() -> SendResult<Void> {
    send(())
  }
}
