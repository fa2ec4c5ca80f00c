import Synchronization

/// Changing the value in more than one step: the writers' lock is held from the first to the last.
extension CurrentValue {
  /// Returns also the number of subscribers, or nil if the value is finished.
  ///
  /// A closure that throws must have changed nothing, so it gets a copy, and so does one that may read the value.
  @inlinable
  func updateCounting<R, Failure: Error>(
    byInletIn line: UInt = 0, _ change: (inout Value) throws(Failure) -> R
  ) throws(Failure) -> (R, subscribers: Int?) {
    // Both outlive the lock: this may be the last reference to a value, whose `deinit` then runs.
    var evicted = Evicted<Value>()
    var value: Value?
    defer { withExtendedLifetime(value) {} }
    var (subscribers, wake): (Int?, Wake) = (nil, .nobody)
    let isInPlace = Failure.self == Never.self && line == 0
    let result = try observed.writers.withLock(of: Value.self, byInletIn: line) {
      () throws(Failure) -> R? in
      value = log.beginUpdateUnlessObserved(inPlace: isInPlace)
      if value == nil { return nil }
      do throws(Failure) {
        let result = try change(&value!)
        (subscribers, wake) = log.endUpdateIfPlain(with: value!, evicting: &evicted)
        if subscribers == nil {
          (subscribers, wake) = log.append(value!, noting: nil, evicting: &evicted)
        }
        return result
      } catch {
        log.leaveUpdate()
        throw error
      }
    }
    guard let result else { return try updateNoting(byInletIn: line, change) }
    publish(wake, to: subscribers)
    return (result, subscribers)
  }

  /// The same if the value is observed, and not in place: to describe it costs more than to copy it.
  @usableFromInline
  func updateNoting<R, Failure: Error>(
    byInletIn line: UInt, _ change: (inout Value) throws(Failure) -> R
  ) throws(Failure) -> (R, subscribers: Int?) {
    var evicted = Evicted<Value>()
    var value: Value?
    defer { withExtendedLifetime(value) {} }
    let notes = log.notes()
    let (result, sent) = try observed.writers.withLock(of: Value.self, byInletIn: line) {
      () throws(Failure) -> (R, BroadcastLog<Value>.Appended) in
      value = log.beginUpdate()
      do throws(Failure) {
        let result = try change(&value!)
        return (result, log.append(value!, noting: notes, evicting: &evicted))
      } catch {
        log.leaveUpdate()
        throw error
      }
    }
    publish(sent.wake, to: sent.subscribers)
    if let value { notes.complete(with: value) }
    return (result, sent.subscribers)
  }

  /// Finishes when the update that runs has ended. Nobody updates while this has the writers' lock, so
  /// the value is there.
  func endUpdatesAndFinish() {
    let ending = observed.writers.withLock(of: Value.self) { log.state.withLock { $0.finish() } }
    log.perform(ending.wake)
    ending.after?()
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
