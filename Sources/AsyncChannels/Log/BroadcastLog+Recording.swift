import Synchronization

/// One element on its way into a log that is recorded.
///
/// Made before the log's lock is taken, noted with it held, described with no lock held.
@usableFromInline
final class Sending: Sendable {
  private let captions: [(tap: any LogTap, caption: Caption)]
  private let causes = Causes.current
  private let vias = Via.current
  private let sender = Sender.current

  init(to taps: [any LogTap]) {
    captions = taps.map { ($0, Caption()) }
    for via in vias { for tap in taps { via.noteSeen(by: tap.tape) } }
  }

  @usableFromInline
  func describe(_ element: some Sendable) {
    for (tap, caption) in captions { caption.text = tap.describe(element, through: vias) }
  }

  /// For an inlet with no log behind it that the recording knows.
  func note() {
    note(in: LogState(), subscribers: 1, replayed: 0, kept: nil)
  }

  /// To be called in the step in which the element is appended, and before: as soon as it is
  /// appended, a reader may take it.
  ///
  /// - Parameters:
  ///   - replayed: How many elements are replayed, if this is one of them; else zero.
  ///   - kept: The queue of what is kept for the first subscriber.
  func note(in state: LogState, replayed: Int, kept: SubscriberQueueBase?) {
    guard !state.isFinished else { return }
    let subscribers = state.subscriberCount
    note(
      in: state, subscribers: subscribers, replayed: replayed, kept: subscribers == 0 ? kept : nil)
  }

  private func note(
    in state: LogState, subscribers: Int, replayed: Int, kept: SubscriberQueueBase?
  ) {
    let slot = state.readers > 0 ? state.end.map { $0.segment.start + $0.index } : nil
    let queues = state.queues.map { (subscriber: ObjectIdentifier($0), policy: $0.policy) }
    for (tap, caption) in captions {
      tap.note(
        .sent(
          SentElement(
            caption: caption, slot: slot, queues: queues, subscribers: subscribers,
            replayed: replayed, kept: kept.map { (ObjectIdentifier($0), $0.policy) },
            cause: causes.first { $0.tap.tape == tap.tape }, vias: vias,
            sender: sender)))
    }
  }
}

extension BroadcastLogBase {
  /// Nil if nobody records the log any more.
  @usableFromInline
  final func makeSending() -> Sending? {
    let taps = taps
    return taps.isEmpty ? nil : Sending(to: taps)
  }

  final var taps: [any LogTap] { state.withLock { $0.taps } }

  /// Records the log from now on: what is sent after this returned.
  ///
  /// The flag is set with the lock held, so a sender that sees the tap has the flag set for the reader
  /// that acquires its element, too.
  ///
  /// - Parameter prepare: Is told of the subscribers that have a queue, with the number of elements in
  ///   it, of what is kept for the first subscriber, and the number of elements that are replayed.
  final func attach(
    _ tap: any LogTap,
    knowing prepare: (
      _ queues: [(ObjectIdentifier, Int)], _ kept: (ObjectIdentifier, Int)?, _ replayed: Int
    ) -> Void
  ) {
    state.withLock { state in
      guard !state.taps.contains(where: { $0.tape == tap.tape }) else { return }
      prepare(
        state.queues.map { (ObjectIdentifier($0), $0.count) },
        keptQueue.map { (ObjectIdentifier($0), $0.count) }, replayedCount)
      state.taps.append(tap)
      isRecorded.store(true, ordering: .relaxed)
    }
  }

  final func detach(_ tape: ObjectIdentifier) {
    // Outlives the lock.
    var gone: [any LogTap] = []
    state.withLock { state in
      gone = state.taps.filter { $0.tape == tape }
      state.taps.removeAll { $0.tape == tape }
      isRecorded.store(!state.taps.isEmpty, ordering: .relaxed)
    }
    withExtendedLifetime(gone) {}
  }
}

extension BroadcastLog {
  /// What `send` does, recorded.
  @usableFromInline
  func sendRecorded(_ element: Element, replayed: Bool) -> Int? {
    var evicted = Evicted<Element>()
    let sending = makeSending()
    sending?.describe(element)
    let (subscribers, wake) = state.withLock { state in
      note(sending, in: state, replayed: replayed)
      return append(element, replayed: replayed, to: &state, evicting: &evicted)
    }
    _ = consume evicted  // destroyed here, with no lock held
    perform(wake)
    return subscribers
  }

  /// What `appendUnlessUpdating` does, recorded.
  @usableFromInline
  func appendRecordedUnlessUpdating(
    _ element: Element, evicting evicted: inout Evicted<Element>
  ) -> (subscribers: Int?, wake: Wake)? {
    let sending = makeSending()
    sending?.describe(element)
    return state.withLock { state in
      if state.isUpdating { return nil }
      note(sending, in: state, replayed: true)
      return append(element, replayed: true, to: &state, evicting: &evicted)
    }
  }

  /// Appends for a writer of state that holds the writers' lock.
  func append(
    _ element: Element, noting sending: Sending?, evicting evicted: inout Evicted<Element>
  ) -> (subscribers: Int?, wake: Wake) {
    state.withLock { state in
      note(sending, in: state, replayed: true)
      return append(element, replayed: true, to: &state, evicting: &evicted)
    }
  }

  /// With the lock held.
  @usableFromInline
  func note(_ sending: Sending?, in state: LogState, replayed: Bool) {
    sending?.note(in: state, replayed: replayed ? window.limit : 0, kept: unheard)
  }

  /// With the lock held.
  @usableFromInline
  func noteSubscribing(_ queue: SubscriberQueueBase?, in state: LogState) {
    guard let queue, !state.isFinished || (unheard?.count ?? 0) > 0 else { return }
    let kept = state.subscriberCount == 0 ? unheard.map { ObjectIdentifier($0) } : nil
    let replays = window.limit > 0 && !state.isFinished
    for tap in state.taps {
      tap.note(.subscribed(ObjectIdentifier(queue), queue.policy, replays: replays, kept: kept))
    }
  }
}
