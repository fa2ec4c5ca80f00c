/// An input of a class, such as a button's taps. Outside it can only be sent to, and only the declaring type
/// can listen.
///
/// ```swift
/// @MainActor
/// public final class AuthViewModel {
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
/// The underscored name is private to the type and its file. This keeps the two ends apart. ``received``
/// begins when the input is made. So elements that are sent before `run()` begins wait, and so do elements
/// that are sent between a cancelled `run()` and the next one.
///
/// A loop that waits for something in its body should check `Task.isCancelled` before it continues:
/// a cancelled consumer may get up to 64 more elements that are ready.
///
/// **Several inputs, one order.** If you write two loops one after the other, the second never starts. With two
/// tasks, what was sent to two inputs may be handled in another order.
/// So inputs whose order matters share one input of commands, and ``inlet(_:function:fileID:)-(Element,_,_)``
/// and ``inlet(_:function:fileID:)-((Source)->Element,_,_)`` make the public ones:
///
/// ```swift
/// public actor Player {
///   private enum Command { case play, seek(to: Duration) }
///   private let commands = Input<Command>()
///   public nonisolated var play: Inlet<Void> { commands.inlet(.play) }
///   public nonisolated var seek: Inlet<Duration> { commands.inlet(Command.seek) }
///
///   public func run() async {
///     for await command in commands.received {
///       switch command {
///       case .play: …
///       case .seek(let time): …
///       }
///     }
///   }
/// }
/// ```
///
/// The input ends with ``finish()``, or when its owner is gone. In an actor a property wrapper cannot
/// be `nonisolated` (`@Input nonisolated var` compiles with some compilers, and races): keep it in a
/// `let` there, as above, and write `nonisolated var signIn: Inlet<Credentials> { signIns.inlet }`.
@propertyWrapper
public struct Input<Element: Sendable>: Sendable {
  /// The elements that were sent to the input, for one loop at a time. A newer loop replaces an older one.
  public let received: Subscription<Element>

  private let channel: Channel<Element>

  /// Makes an input, which keeps what is sent from now on until its owner receives it.
  ///
  /// - Parameter policy: What happens when the owner falls behind. Traps if it buffers fewer than
  ///   one.
  public init(buffering policy: BufferingPolicy = .unbounded) {
    channel = Channel(buffering: policy)
    received = channel.outlet.subscribe()
  }

  /// The end that callers get: it can only send.
  public var wrappedValue: Inlet<Element> { channel.inlet }

  /// The sending end, as ``wrappedValue``. Use it in an actor, where the input stands in a `let`.
  public var inlet: Inlet<Element> { channel.inlet }

  /// An inlet that sends this element to the input at each send.
  ///
  /// It equals no inlet of another call. It costs one allocation, as `contramap` of ``Inlet`` does.
  ///
  /// - Parameters:
  ///   - element: The element that is sent.
  ///   - function: The name of the property that makes it, for a `Recording`. Do not pass it.
  ///   - fileID: The file that makes it, for a `Recording`. Do not pass it.
  @inlinable
  public func inlet(
    _ element: Element, function: StaticString = #function, fileID: StaticString = #fileID
  ) -> Inlet<Void> {
    wrappedValue.contramap(function: function, fileID: fileID) { element }
  }

  /// An inlet for another type of element, which is transformed and then sent to the input: with
  /// `Command.seek`, the case of an enumeration, or with a closure.
  ///
  /// If one sender sends to several inlets of an input, the input receives the elements in the order in which they
  /// were sent. The inlet equals no inlet of another call. It costs one allocation.
  ///
  /// - Parameters:
  ///   - transform: Runs once for each element, on the sender's thread.
  ///   - function: The name of the property that makes it, for a `Recording`. Do not pass it.
  ///   - fileID: The file that makes it, for a `Recording`. Do not pass it.
  @inlinable
  public func inlet<Source>(
    _ transform: @escaping @Sendable (Source) -> Element,
    function: StaticString = #function, fileID: StaticString = #fileID
  ) -> Inlet<Source> {
    wrappedValue.contramap(function: function, fileID: fileID, transform)
  }

  /// Ends the input after the elements that were already sent, as ``Channel/finish()`` does. ``received`` gives
  /// these and ends, and the inlets refuse later elements. Use it for an owner that finishes the waiting work
  /// and then returns from its `run()`.
  public func finish() {
    channel.finish()
  }
}
