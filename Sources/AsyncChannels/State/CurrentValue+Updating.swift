import Synchronization

/// Changing the value in more than one step: the writers' lock is held from the first to the last.
extension CurrentValue {
  /// Returns also the number of subscribers, or nil if the value is finished.
  ///
  /// A closure that throws must have changed nothing, so it gets a copy.
  @inlinable
  func updateCounting<R, Failure: Error>(
    _ change: (inout Value) throws(Failure) -> R
  ) throws(Failure) -> (R, subscribers: Int?) {
    // Both outlive the lock: this may be the last reference to a value, whose `deinit` then runs.
    var evicted = Evicted<Value>()
    var value: Value?
    defer { withExtendedLifetime(value) {} }
    var (subscribers, wake): (Int?, Wake) = (nil, .nobody)
    var rest: StateGraph.Rest?
    let cannotThrow = Failure.self == Never.self
    let result = try observed.writers.withLock(of: Value.self) { () throws(Failure) -> R? in
      value = log.beginUpdateUnlessObserved(inPlace: cannotThrow && !StateGraph.isEvaluating)
      if value == nil { return nil }
      do throws(Failure) {
        let result = try change(&value!)
        (subscribers, wake) = log.endUpdateIfPlain(with: value!, evicting: &evicted)
        if subscribers == nil {
          (subscribers, wake, rest) = log.write(value!, noting: nil, evicting: &evicted)
        }
        return result
      } catch {
        log.leaveUpdate()
        throw error
      }
    }
    guard let result else { return try updateNoting(change) }
    publish(wake, to: subscribers, rest)
    return (result, subscribers)
  }

  /// The same if the value is observed, and not in place: to describe it costs more than to copy it.
  @usableFromInline
  func updateNoting<R, Failure: Error>(
    _ change: (inout Value) throws(Failure) -> R
  ) throws(Failure) -> (R, subscribers: Int?) {
    var evicted = Evicted<Value>()
    var value: Value?
    defer { withExtendedLifetime(value) {} }
    let notes = log.notes()
    let (result, sent) = try observed.writers.withLock(of: Value.self) {
      () throws(Failure) -> (R, BroadcastLog<Value>.Written) in
      value = log.beginUpdate()
      do throws(Failure) {
        let result = try change(&value!)
        return (result, log.write(value!, noting: notes, evicting: &evicted))
      } catch {
        log.leaveUpdate()
        throw error
      }
    }
    publish(sent.wake, to: sent.subscribers, sent.rest)
    if let value { notes.complete(with: value) }
    return (result, sent.subscribers)
  }

  /// Finishes when the update that runs has ended. Nobody updates while this has the writers' lock, so
  /// the value is there.
  func endUpdatesAndFinish() {
    let ending = observed.writers.withLock(of: Value.self) { log.state.withLock { $0.finish() } }
    log.perform(ending.wake)
    ending.after?()
    log.endDerived()
  }
}

extension BroadcastLog {
  /// The newest element of state that somebody changes in place, when that is done: while this has the
  /// writers' lock, nobody does.
  @usableFromInline
  func newest(after writers: borrowing WritersLock) -> Element {
    guard let newest = writers.withLock(of: Element.self, { newest }) else {
      preconditionFailure("Only who holds the writers' lock takes the newest element away.")
    }
    return newest
  }
}

/// Writing state of which other state may be made: one step for all that is made of it.
extension BroadcastLog {
  @usableFromInline
  typealias Written = (subscribers: Int?, wake: Wake, rest: StateGraph.Rest?)

  /// For one that holds the writers' lock, or writes state that nobody updates.
  @usableFromInline
  func write(
    _ element: Element, noting notes: SendNotes?, evicting evicted: inout Evicted<Element>
  ) -> Written {
    let written = writing { append(element, noting: notes, evicting: &evicted) }
    return written ?? (nil, .nobody, nil)
  }

  /// Nil while the newest element is being updated.
  func writeUnlessUpdating(
    _ element: Element, noting notes: SendNotes, evicting evicted: inout Evicted<Element>
  ) -> Written? {
    writing { appendUnlessUpdating(element, noting: notes, evicting: &evicted) }
  }

  private func writing(_ append: () -> Appended?) -> Written? {
    let (appended, rest) = StateGraph.leaving { graph -> Appended? in
      let root = graphNumber.load(ordering: .relaxed)
      let before = root != 0 && graph.isSaving ? newest : nil
      guard let appended = append() else { return nil }
      if root != 0, appended.subscribers != nil {
        graph.change(root, from: before.map { Box($0) })
      }
      return appended
    }
    return appended.map { ($0.subscribers, $0.wake, rest) }
  }

  /// It is finished.
  func endDerived() {
    guard state.withLock({ $0.flags.contains(.derived) }) else { return }
    StateGraph.with { graph in
      let root = graphNumber.load(ordering: .relaxed)
      if root == 0 { return }
      graph.end(root)
      graph.computeUnfinished(behind: root)
    }
  }
}

extension BroadcastLogBase {
  /// It, and those whose subscribers get what is made of it, and of what that is made of beside it.
  package final var withDerived: [BroadcastLogBase] {
    let number = graphNumber.load(ordering: .relaxed)
    return number == 0 ? [self] : StateGraph.with { $0.logs(around: number) }
  }
}
