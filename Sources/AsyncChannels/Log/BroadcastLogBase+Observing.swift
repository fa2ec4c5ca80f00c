import Synchronization

/// What the observers of a log have prepared for an element on its way to it. Made before the log's lock is
/// taken.
@usableFromInline
struct SendNotes: Sendable {
  private struct Note { let observer: any LogObserver, note: any SendNote }
  private var notes: [Note] = []
  /// What is known without asking the element for a description.
  private let words: String?

  /// For an element that is sent with a lock held, or that nobody followed when it was about to be sent.
  init(inWords words: String? = nil) {
    self.words = words
  }

  /// - Parameter element: Nil if it is not known yet.
  init(by observers: [any LogObserver], of element: Any?) {
    words = nil
    for observer in observers where observer.followsElements {
      guard let note = observer.prepare(element) else { continue }
      notes.append(Note(observer: observer, note: note))
    }
  }

  func complete(with element: Any) {
    for each in notes { each.observer.complete(each.note, with: element) }
  }

  /// To be called in the step in which the element is appended, and before: as soon as it is appended, a
  /// reader may take it. No observer leaves anything to be done after a send: senders have nothing to ask for.
  ///
  /// Who has begun to follow the log meanwhile is told, too, though nothing was prepared: what it knows of
  /// each queue would be wrong without this element.
  ///
  /// - Parameter replayed: How many elements are replayed, if this is one of them; else zero.
  func tell(in state: LogState, replayed: Int) {
    for observer in state.observers where observer.followsElements {
      let event = LogEvent.sent(
        SentElement(
          note: notes.first { $0.observer === observer }?.note, words: words,
          slot: state.readers > 0 ? state.end?.number : nil,
          queues: state.queues.map { (subscriber: $0.subscriber, policy: $0.policy) },
          subscriberCount: state.subscriberCount, replayed: replayed))
      _ = observer.note(event)
    }
  }
}

extension AfterLock {
  static func both(_ first: AfterLock?, _ second: AfterLock?) -> AfterLock? {
    guard let first, let second else { return first ?? second }
    return AfterLock {
      first()
      second()
    }
  }
}

extension LogState {
  /// Tells all observers, in the step in which it happens.
  func tell(_ event: LogEvent) -> AfterLock? {
    var after: AfterLock?
    for observer in observers { after = .both(after, observer.note(event)) }
    return after
  }
}

/// What can be followed by observers.
package protocol Followed: AnyObject, Sendable {
  var observers: [any LogObserver] { get }
  /// It is told of what happens after this returned.
  func attach(_ observer: any LogObserver)
  func detach(_ observer: any LogObserver)
}

extension BroadcastLogBase: Followed {
  package final var observers: [any LogObserver] { state.withLock { $0.observers } }

  package final func attach(_ observer: any LogObserver) {
    state.withLock { attach(observer, to: &$0) }?()
  }

  /// The observer of this type, which is made and attached if there is none.
  final func observer<Observer: LogObserver>(_ make: () -> Observer) -> Observer {
    let (observer, after) = state.withLock { state -> (Observer, AfterLock?) in
      for case let known as Observer in state.observers { return (known, nil) }
      let made = make()
      return (made, attach(made, to: &state))
    }
    after?()
    return observer
  }

  package final func detach(_ observer: any LogObserver) {
    // It outlives the lock: the caller has it.
    state.withLock { state in
      state.observers.removeAll { $0 === observer }
      isObserved.store(state.isObserved, ordering: .relaxed)
    }
  }

  /// `isObserved` is set with the lock held, so a sender that tells of an element has it set for the reader
  /// that acquires that element, too.
  private final func attach(
    _ observer: any LogObserver, to state: inout LogState
  ) -> AfterLock? {
    let after = observer.note(.attached(picture(of: state)))
    state.observers.append(observer)
    isObserved.store(state.isObserved, ordering: .relaxed)
    return after
  }

  private final func picture(of state: LogState) -> LogPicture {
    LogPicture(
      isFinished: state.isFinished,
      queues: state.queues.map { ($0.subscriber, $0.count, $0.departures) },
      replayed: replayedCount, subscriberCount: state.subscriberCount,
      newest: state.newestSubscriber, end: state.end?.number ?? 0,
      asleep: state.waiting.subscribers)
  }
}
