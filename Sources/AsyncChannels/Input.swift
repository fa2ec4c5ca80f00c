/// An input of a class: outside it can only be sent to, and only the declaring type can listen.
///
/// ```swift
/// @MainActor
/// public final class AuthViewModel: AuthViewModelType {
///   @Input public var signIn: Inlet<Credentials>
///
///   public func run() async {
///     for await credentials in _signIn.received { … }
///   }
/// }
///
/// viewModel.signIn.send(credentials)
/// ```
///
/// The underscored name is private to the type and its file: that is what keeps the two ends apart.
/// ``received`` begins when the input is made, so what is sent before it is consumed waits, and
/// what is sent between a cancelled `run()` and the next one waits, too.
///
/// A loop that waits for something in its body should look at `Task.isCancelled` before it goes on:
/// a cancelled consumer may get up to 64 more elements that are ready.
///
/// The input ends when its owner is gone. In an actor a property wrapper cannot be `nonisolated`:
/// use a ``Channel`` there (`@Input nonisolated var` compiles with some compilers, and races).
@propertyWrapper
public struct Input<Element: Sendable>: Sendable {
  /// What was sent to the input, for one consumer: the newest that has asked.
  public let received: Subscription<Element>

  private let channel: Channel<Element>

  /// - Parameter policy: What happens when the owner falls behind. Traps if it buffers fewer than
  ///   one.
  public init(buffering policy: BufferingPolicy = .unbounded) {
    channel = Channel(buffering: policy)
    received = channel.outlet.subscribe()
  }

  /// The public end.
  public var wrappedValue: Inlet<Element> { channel.inlet }

  /// The same as ``wrappedValue``.
  public var inlet: Inlet<Element> { channel.inlet }
}
