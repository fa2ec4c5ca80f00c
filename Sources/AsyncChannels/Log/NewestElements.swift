import Synchronization

/// The newest element of each of several logs. A send puts it here in the step in which it is appended, with its log's
/// lock held. So what is taken here was there at one moment, and each moment is later than the one before.
///
/// The lock here is taken inside a log's lock, and no other inside it.
final class NewestElements: Sendable {
  /// Not private: the compiler (6.3.1) does not find its metadata in another file then.
  struct State: ~Copyable {
    var elements: [AnyBox?]
    /// The numbers of the logs whose element was not taken yet.
    var changed: [Int] = []
    /// The same, by number.
    var isChanged: [Bool]
    /// How many elements were replaced before they were taken.
    var replacedCount = 0
    /// How many logs have no element yet: those whose element is changed in place.
    var unknownCount: Int

    var isReady: Bool { !changed.isEmpty && unknownCount == 0 }
  }

  private let state: Locked<State>

  init(of count: Int) {
    let elements = [AnyBox?](repeating: nil, count: count)
    state = Locked(
      State(
        elements: elements, isChanged: Array(repeating: false, count: count), unknownCount: count))
  }

  /// Whether there is something to take.
  var isReady: Bool { state.withLock { $0.isReady } }
  var changedCount: Int { state.withLock { $0.changed.count } }
  var replacedCount: Int { state.withLock { $0.replacedCount } }

  /// All of them, and which have changed since the last call. None while one of them is not known.
  ///
  /// - Parameter evenIfCancelled: Whether to take though the task is cancelled. That is asked when they were seen.
  func take(evenIfCancelled: Bool) -> (elements: [AnyBox?], changed: [Int])? {
    state.withLock { state in
      guard state.isReady, evenIfCancelled || !Task.isCancelled else { return nil }
      let changed = exchange(&state.changed, with: [])
      for number in changed { state.isChanged[number] = false }
      return (state.elements, changed)
    }
  }

  /// Returns what it replaces, and whether that was taken.
  fileprivate func put(_ element: AnyBox, at number: Int) -> (old: AnyBox?, isNew: Bool) {
    state.withLock { state in
      let isNew = !exchange(&state.isChanged[number], with: true)
      if isNew { state.changed.append(number) } else { state.replacedCount += 1 }
      let old = exchange(&state.elements[number], with: element)
      if old == nil { state.unknownCount -= 1 }
      return (old, isNew)
    }
  }
}

/// The place of a log among those whose newest elements are taken together.
@usableFromInline
final class NewestPlace: Sendable {
  private let elements: NewestElements
  private let number: Int

  init(in elements: NewestElements, number: Int) {
    (self.elements, self.number) = (elements, number)
  }

  /// Of a log that has ended, which sends nothing any more.
  func put(_ element: AnyBox) { _ = elements.put(element, at: number) }

  var isReady: Bool { elements.isReady }

  /// Not inlined: sends to other queues would save more registers.
  ///
  /// - Parameter evicted: Gets what is there no more, since this is called with a log's lock held.
  /// - Returns: Whether the one before was taken.
  @usableFromInline @inline(never)
  func put<Element>(_ element: Element, evicting evicted: inout Evicted<Element>) -> Bool {
    let (old, isNew) = elements.put(Box(element), at: number)
    if let old { evicted.add(unsafeDowncast(old, to: Box<Element>.self).value) }
    return isNew
  }
}
