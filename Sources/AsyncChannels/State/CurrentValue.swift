public import Observation

/// A value that changes, and an outlet of its changes: state that its owner writes and others
/// follow.
///
/// It is an owner's handle, as ``Channel`` is, and a property wrapper:
///
/// ```swift
/// @MainActor
/// public final class ProfileViewModel {
///   @CurrentValue public private(set) var state = State.isLoading   // read it: viewModel.state
/// }
///
/// for await state in viewModel.$state { … }                         // follow it
/// ```
///
/// In an actor, which would isolate a wrapped property, and in a `Sendable` class without an actor,
/// which can have no `var`, keep it in a `let` and hand out its ``outlet``:
///
/// ```swift
/// private let members = CurrentValue([Member]())
/// public nonisolated var memberList: StateOutlet<[Member]> { members.outlet }
/// ```
///
/// - **Subscribing** to the ``outlet`` gives the value of that moment, then each later one,
///   equal ones too (see ``StateOutlet/removeDuplicates()``). What is published is already stored: an
///   observer that reads ``value`` finds the new state or a newer one, never the previous.
/// - **Writing** is atomic and may be done from any thread. Setting a property through ``value``
///   (`x.value.count += 1`) reads and writes in two steps; ``update(_:)`` does it in one.
/// - **Observation**: it is `Observable`, property by property. A view, `withObservationTracking`
///   or `Observations` that has read the value, through its wrapper or ``value``, is told on the main
///   actor, after the new value was stored: immediately, if the main thread writes, and a moment later
///   otherwise. On the main actor no observer keeps an old value, and none is told twice for one
///   registration. For code elsewhere, Observation promises neither: follow the ``outlet`` there.
/// - **End**: ``finish()``, or dropping the last reference, ends its outlets. The value of a
///   finished one can still be read and no longer changes. Outlets and inlets do not keep it alive.
///
/// A write costs what ``Channel/send(_:)`` costs, with any number of subscribers. A read takes
/// a lock for a few nanoseconds, and waits only for an ``update(_:)`` that changes the value in
/// place. Once the value was read, a write from another thread than the main thread also
/// enqueues a job on the main actor: one job for all writes until it runs.
@propertyWrapper
public final class CurrentValue<Value: Sendable>: Observable, Sendable {
  /// The log keeps the newest element in its replay window: that *is* the value. There is no second
  /// copy that could disagree with what is published.
  @usableFromInline let log: BroadcastLog<Value>
  @usableFromInline let observed: ObservedValue

  /// Makes the state of a property: `@CurrentValue var state = State.isLoading`.
  public init(wrappedValue: Value) {
    log = BroadcastLog(replaying: 1, buffering: .unbounded)
    observed = ObservedValue(of: log)
    _ = log.send(wrappedValue, replayed: true)
  }

  /// Makes state on its own: `let members = CurrentValue([Member]())`.
  public convenience init(_ value: Value) {
    self.init(wrappedValue: value)
  }

  deinit {
    finish()
  }

  /// The value. Setting it publishes it; when finished, setting has no effect.
  ///
  /// Changing a part of it, as `list.append(x)` does, reads the value, changes a copy and writes that:
  /// an array, a dictionary or a string is copied as a whole each time. ``update(_:)`` copies none.
  ///
  /// Touching it inside ``update(_:)`` of the same value traps.
  @inlinable
  public var value: Value {
    get { StateRoot.value(of: log, observed) }
    set { set(newValue) }
  }

  /// The same as ``value``.
  @inlinable
  public var wrappedValue: Value {
    get { value }
    set { set(newValue) }
  }

  /// The same as ``outlet``.
  public var projectedValue: StateOutlet<Value> { outlet }

  /// The read-only face: it can be read and followed, and not written.
  @inlinable
  public var outlet: StateOutlet<Value> {
    StateOutlet(.state(StateRoot(log: log, observed: observed)))
  }

  /// Writes the value, as ``value`` does. Does not keep the state alive; when it is finished or
  /// gone, sending returns `.finished`.
  @inlinable
  public var inlet: Inlet<Value> {
    Inlet(
      calling: .init(equalTo: self) { [weak self] in
        SendResult(of: $0, subscribers: self?.set($0))
      })
  }

  /// An input that changes the value in one step, and no other write comes between:
  ///
  /// ```swift
  /// public var add: Inlet<Int> { _total.inlet { $0 += $1 } }
  /// ```
  ///
  /// Does not keep the state alive; when it is finished or gone, sending returns `.finished`.
  ///
  /// - Parameters:
  ///   - function: Where it is made, for a `Recording`: the name of the property that it is for.
  ///   - fileID: Likewise.
  ///   - line: Where it is made, for the message if it traps.
  ///   - change: Gets a copy of the value, and what was sent. It may read the state and what is derived from it, as
  ///     they are before the change. Writing or finishing the same value traps.
  public func inlet<Element>(
    function: StaticString = #function, fileID: StaticString = #fileID, line: UInt = #line,
    updating change: @escaping @Sendable (inout Value, Element) -> Void
  ) -> Inlet<Element> {
    .forwarding(function: function, fileID: fileID) { [weak self] element in
      let updated: (Void, subscribers: Int?)? = self?.updateCounting(byInletIn: line) {
        change(&$0, element)
      }
      return SendResult(of: element, subscribers: updated?.subscribers)
    }
  }

  /// Changes the value in one step: no other write comes between the reading and the writing.
  ///
  /// ```swift
  /// members.update { $0.append(member) }
  /// ```
  ///
  /// The new value is stored and published when `change` returns; sleeping subscribers are woken,
  /// and observers told, after that. If `change` throws, nothing has changed. When finished,
  /// `change` gets a copy of the last value, and what it does to it has no effect.
  ///
  /// **In place.** `change` gets the value itself, not a copy, if it cannot throw, and the value is
  /// neither an object nor of a type that is copied byte by byte, as numbers are. Then appending to
  /// an array costs the same at any length, if no one else has a copy of the array. A subscriber that
  /// has not received the array yet has a copy. Until `change` returns,
  ///
  /// - other threads that read the value wait, as writers do,
  /// - a new subscription has no element yet: its first one is what `change` leaves,
  /// - what `change` removes from the value is destroyed: a `deinit` that touches the value traps.
  ///
  /// In all other cases, and while a `Recording` follows the value, `change` gets a copy. Then
  /// readers get the value as it was and do not wait, and what was replaced is destroyed after
  /// observers were told.
  ///
  /// - Parameter change: Runs while other writers wait; keep it short. Reading, writing or finishing
  ///   the same value in it traps: use what the closure is given. Two simultaneous updates of two
  ///   values that each read or write the other value wait for each other for ever.
  /// - Returns: What `change` returns.
  @inlinable
  public func update<R, Failure: Error>(
    _ change: (inout Value) throws(Failure) -> R
  ) throws(Failure) -> R {
    try updateCounting(change).0
  }

  /// Ends the outlets after the last value. The value can still be read and no longer changes.
  ///
  /// It waits for an ``update(_:)`` that changes the value in place. Inside an update of the same
  /// value it traps.
  public func finish() {
    observed.writers.requireNotHeldByThisThread(of: Value.self)
    if log.finishKeepingNewest() { return }
    endUpdatesAndFinish()
  }

  /// How many subscriptions there are now; zero once the value is finished. One to derived state counts
  /// once for each of the states that it is made of.
  public var subscriberCount: Int { log.subscriberCount }

  /// Returns the number of subscribers, or nil if the value is finished.
  ///
  /// A write is one step under the log's lock. It takes the writers' lock only while an update, which
  /// takes two steps, is between them.
  @inlinable @discardableResult
  func set(_ value: Value) -> Int? {
    // Destroyed at the end: with no lock held, and when all were told.
    var evicted = Evicted<Value>()
    let (subscribers, wake) = log.appendIfPlain(value, replayed: true, evicting: &evicted)
    guard let subscribers else { return setNoting(value) }
    publish(wake, to: subscribers)
    return subscribers
  }

  /// The same while the value is being updated, if it is observed, or if it is finished.
  @usableFromInline
  func setNoting(_ value: Value) -> Int? {
    var evicted = Evicted<Value>()  // destroyed at the end, as in `set`
    let notes = log.notes(of: value)
    let (subscribers, wake) =
      log.appendUnlessUpdating(value, noting: notes, evicting: &evicted)
      ?? observed.writers.withLock(of: Value.self) {
        log.append(value, noting: notes, evicting: &evicted)
      }
    publish(wake, to: subscribers)
    return subscribers
  }

  /// Wakes subscribers and tells observers, after the store and with no lock held.
  @inlinable
  func publish(_ wake: Wake, to subscribers: Int?) {
    log.perform(wake)
    if subscribers != nil { observed.tellOfChange() }
  }
}
