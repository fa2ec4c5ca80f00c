/// State that can be read and followed, and neither written nor finished.
///
/// An output of a view model or a manager that has a value at any moment is a `StateOutlet`. The
/// owner writes a ``CurrentValue`` and hands this out:
///
/// ```swift
/// @MainActor
/// public protocol MembersSummaryViewModelType: AnyObject {
///   var memberCount: StateOutlet<Int> { get }
/// }
///
/// @MainActor
/// public final class MembersSummaryViewModel: MembersSummaryViewModelType {
///   public var memberCount: StateOutlet<Int> { $count }
///   @CurrentValue private var count = 0
/// }
///
/// Text("\(viewModel.memberCount.value) members")          // read it: tracked by Observation
/// for await count in viewModel.memberCount { … }           // follow it
/// ```
///
/// - **Reading** ``value`` is tracked by SwiftUI, `withObservationTracking` and `Observations`.
/// - **Following** it begins with the value as it is when the subscription begins, then gives each
///   later one, equal ones too (see ``removeDuplicates()``). Overflow follows the subscription's
///   ``BufferingPolicy``. Derived state gives the newest value when its consumer asks, whatever the policy, and never
///   misses the last.
/// - **Deriving**: ``map(_:)``, ``flatMap(_:)`` and `combine` make state of state, without a task.
/// - **The end**: when the owner finishes the state or is gone, subscriptions end after the last
///   value. ``value`` stays the last one. A state outlet keeps no owner alive.
///
/// It is a small value to copy and to pass between isolations. For events, which have no value in
/// between, use an ``Outlet``.
@frozen
public struct StateOutlet<Value: Sendable>: AsyncSequence, Subscribable {
  @usableFromInline
  enum Source: Sendable {
    case state(StateRoot<Value>)
    case derived(DerivedState<Value>)
  }

  @usableFromInline let source: Source

  @inlinable
  init(_ source: Source) {
    self.source = source
  }

  /// State that never changes: for previews and spies. Following it gives the value, and ends.
  public static func constant(_ value: Value) -> StateOutlet {
    StateOutlet(.derived(DerivedState { value }))
  }

  /// The value there is now; the last one when the state is finished or its owner gone.
  ///
  /// Costs somewhat more than reading a ``CurrentValue``. The value of derived state is of one moment, whichever threads write
  /// its states. If nothing has changed since anybody read it, no closure runs. Reading it inside
  /// ``CurrentValue/update(_:)`` of the same value, or of one that it is derived from, traps.
  @inlinable
  public var value: Value {
    switch source {
    case .state(let root): root.value
    case .derived(let derived): derived.value
    }
  }

  /// The value, for a closure that is derived from this: it reads the parts of a `combine` itself, and not its node.
  @inlinable
  var input: Value {
    guard case .derived(let derived) = source, let read = derived.node.read else { return value }
    return Box<@Sendable () -> Value>.value(in: read)()
  }

  /// This state as an ``Outlet``, to pass where an outlet is required.
  @inlinable
  public var outlet: Outlet<Value> {
    switch source {
    case .state(let root): Outlet(of: root.log)
    case .derived(let derived): derived.outlet
    }
  }

  /// Takes a place in the sequence of values, synchronously, beginning with the value there is now.
  ///
  /// - Parameter policy: What happens when its consumer falls behind; unbounded if nil. For a
  ///   listener that wants the newest value only: `.bufferingNewest(1)`.
  @inlinable
  public func subscribe(buffering policy: BufferingPolicy? = nil) -> Subscription<Value> {
    Subscription(upstream(buffering: policy))
  }

  /// Subscribes, without a bound. The subscription lives as long as the iterator.
  @inlinable
  public func makeAsyncIterator() -> Subscription<Value>.Iterator {
    switch source {
    case .state(let root): Outlet(of: root.log).makeAsyncIterator()
    case .derived(let derived): .init(derived.upstream(buffering: nil))
    }
  }

  /// How to follow what a closure makes of each value, if this is made of one state, which no closure chooses.
  @inlinable
  func follow<Derived>(
    _ makeStep: @escaping @Sendable () -> @Sendable (Value, UInt64) -> Derived?
  ) -> DerivedState<Derived>.Follow? {
    if case .derived(let derived) = source, derived.follow == nil { return nil }
    return { upstream(buffering: .bufferingNewest(1)).deriving(makeStep()) }
  }

  @inlinable
  func upstream(buffering policy: BufferingPolicy?) -> Upstream<Value> {
    switch source {
    case .state(let root): .cursor(root.log.subscribe(buffering: policy))
    case .derived(let derived): derived.upstream(buffering: policy)
    }
  }
}
