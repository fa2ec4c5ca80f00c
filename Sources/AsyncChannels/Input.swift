/// An input of a class: outside it can only be sent to, and only the declaring type can listen.
///
/// ```swift
/// @MainActor
/// public final class AuthViewModel: ViewModel {
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
/// **Several inputs, one order.** Two loops one after the other do not work, since the second begins
/// when the first has ended; and two tasks do not keep the order in which the inputs were sent to.
/// So inputs that belong together share one, of commands, and ``inlet(_:function:fileID:)-(Element,_,_)``
/// and ``inlet(_:function:fileID:)-((Source)->Element,_,_)`` make what everybody sees:
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

  /// An inlet that sends this element to the input, each time that something is sent to it.
  ///
  /// Not equal to the inlet of another call. Costs one allocation, as `contramap` of ``Inlet`` does.
  ///
  /// - Parameters:
  ///   - element: What is sent.
  ///   - function: Where it is made, for a `Recording`: the name of the property that it is for.
  ///   - fileID: Likewise.
  @inlinable
  public func inlet(
    _ element: Element, function: StaticString = #function, fileID: StaticString = #fileID
  ) -> Inlet<Void> {
    wrappedValue.contramap(function: function, fileID: fileID) { element }
  }

  /// An inlet for another type of element, which is transformed and then sent to the input: with
  /// `Command.seek`, the case of an enumeration, or with a closure.
  ///
  /// The inlets of one input share its order: what one sender sends to them is received in the order
  /// in which it was sent. Not equal to the inlet of another call. Costs one allocation.
  ///
  /// - Parameters:
  ///   - transform: Runs once for each element, on the sender's thread.
  ///   - function: Where it is made, for a `Recording`: the name of the property that it is for.
  ///   - fileID: Likewise.
  @inlinable
  public func inlet<Source>(
    _ transform: @escaping @Sendable (Source) -> Element,
    function: StaticString = #function, fileID: StaticString = #fileID
  ) -> Inlet<Source> {
    wrappedValue.contramap(function: function, fileID: fileID, transform)
  }

  /// Ends the input after what was already sent, as ``Channel/finish()`` does: ``received`` gives
  /// that and ends, and its inlets refuse what comes later. For an owner that works off what waits
  /// and then returns from its `run()`.
  public func finish() {
    channel.finish()
  }
}
