import Synchronization

/// The end of a channel that can only send: the type of each input of a view model or a manager.
///
/// Code that holds an inlet can send to it. It can neither listen to what others send nor finish the
/// channel. Since an inlet is a type of its own, a protocol can require it:
///
/// ```swift
/// public protocol AuthViewModelType: AnyObject {
///   var signIn: Inlet<Credentials> { get }
/// }
///
/// viewModel.signIn.send(credentials)
/// ```
///
/// An inlet is a small value to copy and to pass between isolations. It does not keep its channel
/// alive. When the channel is gone, sending returns `.finished`.
///
/// Two inlets are equal if they are the inlet of the same channel or of the same ``CurrentValue``,
/// or copies of one inlet that was made with a function or a transformation.
@frozen
public struct Inlet<Element: Sendable>: Sendable {
  @usableFromInline
  enum Target: Sendable {
    case log(BroadcastLog<Element>)
    case function(Function)
  }

  /// An object, so that copies of one inlet can be told from copies of another.
  @usableFromInline
  final class Function: Sendable {
    @usableFromInline let function: @Sendable (Element) -> SendResult<Element>
    /// Inlets with the same key are equal; nil for an inlet that equals only its copies.
    let equalityKey: ObjectIdentifier?
    /// Its memory stays, so that no other object gets its identifier. What is in it does not.
    private unowned let keyed: (any AnyObject & Sendable)?
    /// The log in which an element ends up, if that is known.
    let log: BroadcastLogBase?
    /// For those who follow it.
    let made: MadeInlet

    @usableFromInline
    init(
      equalTo key: (any AnyObject & Sendable)? = nil, endingIn log: BroadcastLogBase? = nil,
      madeAt place: (function: StaticString, fileID: StaticString)? = nil,
      _ function: @escaping @Sendable (Element) -> SendResult<Element>
    ) {
      self.function = function
      (equalityKey, keyed) = (key.map { ObjectIdentifier($0) }, key)
      self.log = log
      made = MadeInlet(at: place)
    }

    @inlinable
    func send(_ element: Element) -> SendResult<Element> {
      Causes.areFollowed ? sendFollowed(element) : function(element)
    }

    /// What is sent on by the function has come through this inlet.
    @usableFromInline
    func sendFollowed(_ element: Element) -> SendResult<Element> {
      guard let follower = Causes.known else { return function(element) }
      var result = SendResult.finished(element)
      follower.carry(element, through: made) {
        result = function(element)
        if case .sent = result { return true }
        return false
      }
      return result
    }
  }

  @usableFromInline let target: Target

  @inlinable
  init(to log: BroadcastLog<Element>) {
    target = .log(log)
  }

  @usableFromInline
  init(calling function: Function) {
    target = .function(function)
  }

  /// Makes an inlet that calls a function with each element: for previews, spies and bridges.
  ///
  /// The function is called on the sender's thread, and possibly by several senders
  /// concurrently. Such an inlet never finishes, and counts as one subscriber.
  ///
  /// - Parameters:
  ///   - function: The name of the property that makes it, for a `Recording`. Do not pass it.
  ///   - fileID: The file that makes it, for a `Recording`. Do not pass it.
  ///   - receive: Called with each element.
  public init(
    function: StaticString = #function, fileID: StaticString = #fileID,
    _ receive: @escaping @Sendable (Element) -> Void
  ) {
    self = .forwarding(function: function, fileID: fileID) { element in
      receive(element)
      return .sent(subscribers: 1)
    }
  }

  /// Makes an inlet that calls a function with each element and returns its result. Use it for an input
  /// that forwards to another, if its sender must learn that the other end is finished.
  ///
  /// ```swift
  /// public var add: Inlet<Void> {
  ///   .forwarding { [form, addMember] _ in
  ///     switch addMember.send(form.name) {
  ///     case .sent(let subscribers): .sent(subscribers: subscribers)
  ///     case .finished: .finished(())
  ///     case .refused: .refused(())
  ///     }
  ///   }
  /// }
  /// ```
  ///
  /// For the same element in another form ``contramap(function:fileID:_:)`` is shorter. (This is no
  /// `init`, since `Inlet { inlet.send($0) }` could mean either.)
  ///
  /// - Parameters:
  ///   - function: The name of the property that makes it, for a `Recording`. Do not pass it.
  ///   - fileID: The file that makes it, for a `Recording`. Do not pass it.
  ///   - send: Called on the sender's thread, and possibly by several senders concurrently. ``send(_:)``
  ///     returns its result: `.sent`, or `.finished` with the element if neither this one nor a later one
  ///     can arrive. ``_Concurrency/AsyncSequence/bind(to:)`` stops at `.finished`.
  public static func forwarding(
    function: StaticString = #function, fileID: StaticString = #fileID,
    _ send: @escaping @Sendable (Element) -> SendResult<Element>
  ) -> Inlet {
    Inlet(calling: Function(madeAt: (function, fileID), send))
  }

  /// The log in which an element ends up; nil if ``send(_:)`` hands it to a function instead.
  var log: BroadcastLogBase? {
    switch target {
    case .log(let log): log
    case .function(let function): function.log
    }
  }

  /// Sends an element to the owner of this inlet, and to all who listen to its channel.
  ///
  /// Does not block and may be called from any thread or isolation. A sender's elements arrive in
  /// the order in which it sent them. Costs O(1) for any number of unbounded subscribers.
  ///
  /// - Returns: `.finished` with the element if the channel is finished or gone.
  @inlinable @discardableResult
  public func send(_ element: Element) -> SendResult<Element> {
    switch target {
    case .log(let log):
      SendResult(of: element, subscribers: log.send(element, replayed: true))
    case .function(let function): function.send(element)
    }
  }

  /// An inlet for another type of element, which is transformed and then sent here. Use it to let a button send
  /// what an input takes: `add.contramap { 1 }`.
  ///
  /// Several inputs can share one channel in this way, and so one order:
  ///
  /// ```swift
  /// let addMember: Inlet<String> = commands.inlet.contramap { .add(name: $0) }
  /// let removeMember: Inlet<Member> = commands.inlet.contramap { .remove($0) }
  /// ```
  ///
  /// - Parameters:
  ///   - function: The name of the property that makes it, for a `Recording`. Do not pass it.
  ///   - fileID: The file that makes it, for a `Recording`. Do not pass it.
  ///   - transform: Runs once for each element, on the sender's thread. If the channel is finished,
  ///     the sender gets back the element as it sent it.
  @inlinable
  public func contramap<Source>(
    function: StaticString = #function, fileID: StaticString = #fileID,
    _ transform: @escaping @Sendable (Source) -> Element
  ) -> Inlet<Source> {
    makeInlet(function: function, fileID: fileID) { source in
      switch self.send(transform(source)) {
      case .sent(let subscribers): .sent(subscribers: subscribers)
      case .finished: .finished(source)
      case .refused: .refused(source)
      }
    }
  }

  /// An inlet that drops an element if it is transformed into `nil`, and otherwise sends the result here.
  ///
  /// ```swift
  /// let addMember: Inlet<String> = commands.inlet.compactContramap { text in
  ///   text.isEmpty ? nil : .add(name: text)
  /// }
  /// ```
  ///
  /// Everything else is as with ``contramap(function:fileID:_:)``. If an element is dropped, `send` returns
  /// `.sent(subscribers: 0)`, even if the channel is finished.
  @inlinable
  public func compactContramap<Source>(
    function: StaticString = #function, fileID: StaticString = #fileID,
    _ transform: @escaping @Sendable (Source) -> Element?
  ) -> Inlet<Source> {
    makeInlet(function: function, fileID: fileID) { source in
      guard let element = transform(source) else { return .sent(subscribers: 0) }
      return switch self.send(element) {
      case .sent(let subscribers): .sent(subscribers: subscribers)
      case .finished: .finished(source)
      case .refused: .refused(source)
      }
    }
  }

  /// An inlet whose elements are sent here in another form.
  @usableFromInline
  func makeInlet<Source>(
    function: StaticString, fileID: StaticString,
    sending send: @escaping @Sendable (Source) -> SendResult<Source>
  ) -> Inlet<Source> {
    Inlet<Source>(calling: .init(endingIn: log, madeAt: (function, fileID), send))
  }
}

extension Inlet: Hashable {
  /// Whether both are the inlet of the same channel or ``CurrentValue``, or copies of one that was made.
  public static func == (one: Inlet, other: Inlet) -> Bool {
    one.identity == other.identity
  }

  /// Hashes what ``==(_:_:)`` compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(identity)
  }

  private var identity: ObjectIdentifier {
    switch target {
    case .log(let log): ObjectIdentifier(log)
    case .function(let function): function.equalityKey ?? ObjectIdentifier(function)
    }
  }
}

// Emitted into clients: this library would have a copy of all that sending does for `Void` alone.
extension Inlet<Void> {
  /// Sends an element without content: `viewModel.increment.send()`.
  @_alwaysEmitIntoClient @discardableResult
  public func send() -> SendResult<Void> {
    send(())
  }
}
