import Synchronization

/// Sending to a log that somebody follows, and what is not plain for another reason.
extension BroadcastLog {
  /// What `send` does to a log that is observed, or finished.
  @usableFromInline
  func sendNoting(_ element: Element, replayed: Bool) -> Int? {
    var evicted = Evicted<Element>()  // destroyed at the end, as in `send`
    let notes = notes(of: element)
    let (subscribers, wake) = state.withLock { state in
      append(element, replayed: replayed, noting: notes, to: &state, evicting: &evicted)
    }
    perform(wake)
    return subscribers
  }

  /// Of an element that is about to be sent; with none, of one that is not known yet.
  func notes(of element: Element? = nil) -> SendNotes {
    SendNotes(by: observers, of: element.map { $0 as Any })
  }

  /// Appends for a writer of state, unless the newest element is being updated: nil then.
  func appendUnlessUpdating(
    _ element: Element, noting notes: SendNotes, evicting evicted: inout Evicted<Element>
  ) -> Appended? {
    state.withLock { state in
      if state.isUpdating { return nil }
      return append(element, replayed: true, noting: notes, to: &state, evicting: &evicted)
    }
  }

  /// The same for one that holds the writers' lock, or writes state that nobody updates. Ends its update,
  /// if it has begun one.
  ///
  /// - Parameter notes: None, if nobody followed the log when the sending began.
  @usableFromInline
  func append(
    _ element: Element, noting notes: SendNotes?, evicting evicted: inout Evicted<Element>
  ) -> Appended {
    state.withLock { state in
      state.isUpdating = false
      return append(element, replayed: true, noting: notes, to: &state, evicting: &evicted)
    }
  }

  /// Begins to replace the newest element, observed or not.
  func beginUpdate() -> Element {
    state.withLock { state in
      state.isUpdating = true
      return window.newest
    }
  }

  /// Appends, unless the log is finished, and tells those who follow it. With the lock held.
  ///
  /// - Parameter notes: Nil if nobody followed the log when the sending began.
  @usableFromInline
  func append(
    _ element: Element, replayed: Bool, noting notes: SendNotes?, to state: inout LogState,
    evicting evicted: inout Evicted<Element>
  ) -> Appended {
    if state.isFinished { return (nil, .nobody) }
    if state.isObserved {
      (notes ?? SendNotes()).tell(in: state, replayed: replayed ? window.limit : 0)
    }
    return store(element, replayed: replayed, in: &state, evicting: &evicted)
  }

  /// To be called in the step in which a subscriber joins, and before.
  @usableFromInline
  func noteSubscribing(_ policy: BufferingPolicy, in state: LogState) -> AfterLock? {
    state.tell(
      .subscribed(
        state.newestSubscriber, policy, replays: window.elements.count > 0,
        count: state.subscriberCount + 1))
  }
}
