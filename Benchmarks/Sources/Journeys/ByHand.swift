internal import Synchronization

/// What a user writes without this package, with plain `AsyncStream`s and `@Observable`, and the same
/// promises. Here: an input that is sent to from any thread, keeps what comes while nothing runs, and
/// outlives a cancelled run (a stream does not: cancelling its consumer ends it).
final class InputByHand<Element: Sendable>: Sendable {
  private struct State {
    var pending: [Element] = []
    /// The newest has it.
    var run = 0
    var bell: AsyncStream<Void>.Continuation?
  }

  private let state = Mutex(State())

  func send(_ element: Element) {
    let bell = state.withLock { state in
      state.pending.append(element)
      return state.bell
    }
    bell?.yield()
  }

  /// Nil also for a run that is not the newest, or whose task is cancelled. That is asked under the lock,
  /// so that nothing is taken that was sent after `cancel()` returned.
  func take(for run: Int) -> Element? {
    state.withLock { state in
      guard run == state.run, !state.pending.isEmpty, !Task.isCancelled else { return nil }
      return state.pending.removeFirst()
    }
  }

  /// Begins a run: rings when there may be something to take. Ends that of the run before.
  func listen() -> (run: Int, rings: AsyncStream<Void>) {
    let (rings, bell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let (run, displaced) = state.withLock { state in
      state.run += 1
      defer { state.bell = bell }
      return (state.run, state.bell)
    }
    displaced?.finish()
    bell.yield()
    return (run, rings)
  }
}

/// An output that any number of listeners follow, from any thread, all in one order.
final class OutputByHand<Element: Sendable>: Sendable {
  private struct Listeners {
    var last: Element?
    var lastNumber = 0
    var continuations: [Int: AsyncStream<Element>.Continuation] = [:]
  }

  /// Held while an element goes to the listeners: so all see one order, and a new one misses nothing and
  /// gets nothing twice. Not the other lock: a listener that is cancelled takes that one in
  /// `onTermination`, while its task is locked, and to yield to it is to lock its task.
  private let sending = Mutex(())
  private let listeners = Mutex(Listeners())
  private let isReplaying: Bool

  init(isReplaying: Bool = false) {
    self.isReplaying = isReplaying
  }

  func send(_ element: Element, isReplayed: Bool = true) {
    sending.withLock { _ in
      let continuations = listeners.withLock { listeners in
        if isReplaying, isReplayed { listeners.last = element }
        return listeners.continuations
      }
      for continuation in continuations.values { continuation.yield(element) }
    }
  }

  func subscribe() -> AsyncStream<Element> {
    let (elements, continuation) = AsyncStream.makeStream(of: Element.self)
    let number = sending.withLock { _ in
      listeners.withLock { listeners in
        listeners.lastNumber += 1
        listeners.continuations[listeners.lastNumber] = continuation
        if let last = listeners.last { continuation.yield(last) }
        return listeners.lastNumber
      }
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.listeners.withLock { $0.continuations.removeValue(forKey: number) }
    }
    return elements
  }
}
