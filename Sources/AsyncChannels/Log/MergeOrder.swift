import Synchronization

/// What has come to several queues that one subscriber takes as one, in the order in which it was sent.
///
/// Each queue tells it of an element in the step in which that is added, with its log's lock held. The lock here is
/// taken inside that one, and no other inside it. So if one write comes after another, to whatever log, they are
/// here in that order. Of two writes that overlap, each follower may see the other first.
///
/// A subscriber with `.bufferingNewest` gets the newest elements of all queues at once, since those that its
/// queues have dropped leave no other set of elements that were the newest at the same time. One with
/// `.bufferingOldest` gets an element together with those of other queues that were dropped before it.
final class MergeOrder: Sendable {
  /// An element of a queue, or one that the queue did not keep.
  struct Change: Sendable {
    let number: Int
    let value: AnyBox
  }

  struct Entry: Sendable {
    /// The queue whose first element is next.
    let number: Int
    /// What other queues dropped before it.
    let missed: [Change]
  }

  /// Not private: the compiler (6.3.1) does not find its metadata in another file then.
  struct State: ~Copyable {
    /// Unless it takes the newest.
    var entries = RingBuffer<Entry>()
    /// The newest element of each queue that was not taken, if it takes the newest; else, that was dropped
    /// since the last entry.
    var newest: [AnyBox?]
    /// The numbers of those that are there.
    var present: [Int] = []

    mutating func takeNewest() -> [Change] {
      if present.isEmpty { return [] }
      defer { present.removeAll(keepingCapacity: true) }
      return present.compactMap { number in
        newest[number].take().map { Change(number: number, value: $0) }
      }
    }
  }

  let takesNewest: Bool
  private let state: Locked<State>

  init(of count: Int, buffering policy: BufferingPolicy) {
    if case .bufferingNewest = policy { takesNewest = true } else { takesNewest = false }
    state = Locked(State(newest: Array(repeating: nil, count: count)))
  }

  /// The queue has added an element. (Among those that were dropped before may be one of the same queue.)
  fileprivate func noteKept(at number: Int) {
    state.withLock { state in
      state.entries.append(Entry(number: number, missed: state.takeNewest()))
    }
  }

  /// - Parameter evicted: Gets what is there no more, since this is called with a log's lock held.
  fileprivate func noteNewest<Element>(
    _ element: Element, at number: Int, evicting evicted: inout Evicted<Element>
  ) {
    let replaced = state.withLock { state -> AnyBox? in
      let older = exchange(&state.newest[number], with: Box(element))
      if older == nil { state.present.append(number) }
      return older
    }
    if let replaced = replaced as? Box<Element> { evicted.add(replaced.value) }
  }

  /// What is next, unless it takes the newest; nil if the task is cancelled: that is asked when it was seen.
  func takeNext(evenIfCancelled: Bool) -> Entry? {
    state.withLock { state in
      guard state.entries.count > 0, evenIfCancelled || !Task.isCancelled else { return nil }
      return state.entries.popFirst()
    }
  }

  /// The queues that have something, if it takes the newest.
  var present: [Int] { state.withLock { $0.present } }

  /// Whether there is something for the next step.
  var isReady: Bool {
    state.withLock { takesNewest ? !$0.present.isEmpty : $0.entries.count > 0 }
  }

  /// The newest elements, all from the same moment; none if the task is cancelled: that is asked when they were
  /// seen.
  func takeNewest(evenIfCancelled: Bool) -> [Change] {
    state.withLock { evenIfCancelled || !Task.isCancelled ? $0.takeNewest() : [] }
  }
}

/// The place of a queue among those that are taken as one.
@usableFromInline
final class MergePlace: Sendable {
  private let order: MergeOrder
  private let number: Int

  init(in order: MergeOrder, number: Int) {
    (self.order, self.number) = (order, number)
  }

  /// Not inlined: sends to queues that are taken alone would save more registers.
  ///
  /// - Parameter isKept: Whether the queue has added it.
  @usableFromInline @inline(never)
  func note<Element>(_ element: Element, isKept: Bool, evicting evicted: inout Evicted<Element>) {
    if isKept, !order.takesNewest { return order.noteKept(at: number) }
    order.noteNewest(element, at: number, evicting: &evicted)
  }
}

/// A value among values of other types: an object, since those can be told apart for little.
class AnyBox: @unchecked Sendable {}

/// `@unchecked Sendable`, both: there is nothing but a constant.
final class Box<Value: Sendable>: AnyBox, @unchecked Sendable {
  let value: Value

  init(_ value: Value) {
    self.value = value
  }
}
