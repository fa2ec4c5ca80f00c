import Synchronization

/// One element on its way into a log that is recorded.
///
/// Made before the log's lock is taken, noted with it held, described with no lock held.
@usableFromInline
final class Sending: Sendable {
  private let captions: [(tap: any LogTap, caption: Caption)]
  private let causes: [Origin]
  private let vias: [Via]
  private let sender = Sender.current
  /// What is known without describing.
  private let words: String?

  /// - Parameter describe: Returns the element in words; nil if it is described later.
  init(
    to taps: [any LogTap], describing describe: (any LogTap, [Via]) -> String? = { _, _ in nil }
  ) {
    let vias = Via.current
    (causes, self.vias, words) = (Causes.current, vias, nil)
    captions = taps.map { ($0, Caption(describe($0, vias))) }
    for via in vias { for tap in taps { via.noteSeen(by: tap.tape) } }
  }

  /// One that begins with a lock held, or began before anybody recorded it. Its cause is not known.
  init(inWords words: String? = nil) {
    (captions, causes, vias, self.words) = ([], [], [], words)
  }

  func describe(_ element: some Sendable) {
    for (tap, caption) in captions { caption.text = tap.describe(element, through: vias) }
  }

  /// For an inlet with no log behind it that the recording knows.
  func note() {
    let inlet = LogState()
    for (tap, caption) in captions {
      note(in: inlet, by: tap, as: caption, subscribers: 1, replayed: 0, kept: nil)
    }
  }

  /// To be called in the step in which the element is appended, and before: as soon as it is
  /// appended, a reader may take it.
  ///
  /// A recording that has begun meanwhile is told, too, though not in words: what it knows of each
  /// queue would be wrong without this element.
  ///
  /// - Parameters:
  ///   - replayed: How many elements are replayed, if this is one of them; else zero.
  ///   - kept: The queue of what is kept for the first subscriber.
  func note(in state: LogState, replayed: Int, kept: SubscriberQueueBase?) {
    let subscribers = state.subscriberCount
    for tap in state.taps {
      let caption = captions.first { $0.tap === tap }?.caption ?? Caption(words.map(tap.shown))
      note(
        in: state, by: tap, as: caption, subscribers: subscribers, replayed: replayed,
        kept: subscribers == 0 ? kept : nil)
    }
  }

  private func note(
    in state: LogState, by tap: any LogTap, as caption: Caption, subscribers: Int, replayed: Int,
    kept: SubscriberQueueBase?
  ) {
    tap.note(
      .sent(
        SentElement(
          caption: caption, slot: state.readers > 0 ? state.end?.number : nil,
          queues: state.queues.map { (subscriber: ObjectIdentifier($0), policy: $0.policy) },
          subscribers: subscribers, replayed: replayed,
          kept: kept.map { (ObjectIdentifier($0), $0.policy) },
          cause: causes.first { $0.tap.tape == tap.tape }, vias: vias, sender: sender)))
  }
}

extension BroadcastLogBase {
  /// Of an element that is described later.
  final func makeSending() -> Sending { Sending(to: taps) }

  final func makeSending(of element: some Sendable) -> Sending {
    Sending(to: taps) { $0.describe(element, through: $1) }
  }

  final var taps: [any LogTap] { state.withLock { $0.taps } }

  /// Records the log from now on: what is sent after this returned.
  ///
  /// `isRecorded` is set with the lock held, so a sender that notes an element has it set for the reader
  /// that acquires that element, too.
  final func attach(_ tap: any LogTap) {
    state.withLock { state in
      guard !state.taps.contains(where: { $0.tape == tap.tape }) else { return }
      tap.note(
        .attached(
          queues: state.queues.map { (ObjectIdentifier($0), $0.count) },
          kept: keptQueue.map { (ObjectIdentifier($0), $0.count) }, replayed: replayedCount))
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
  /// What `send` does to a log that is recorded, or finished.
  @usableFromInline
  func sendNoting(_ element: Element, replayed: Bool) -> Int? {
    var evicted = Evicted<Element>()
    let sending = makeSending(of: element)
    let (subscribers, wake) = state.withLock { state in
      append(element, replayed: replayed, noting: sending, to: &state, evicting: &evicted)
    }
    perform(wake)
    // Destroyed here: with no lock held, and when nobody waits for a ring any more.
    _ = consume evicted
    return subscribers
  }

  /// Appends for a writer of state, unless the newest element is being updated: nil then.
  func appendUnlessUpdating(
    _ element: Element, noting sending: Sending, evicting evicted: inout Evicted<Element>
  ) -> (subscribers: Int?, wake: Wake)? {
    state.withLock { state in
      if state.isUpdating { return nil }
      return append(element, replayed: true, noting: sending, to: &state, evicting: &evicted)
    }
  }

  /// The same for one that holds the writers' lock, or writes state that nobody updates. Ends its update,
  /// if it has begun one.
  func append(
    _ element: Element, noting sending: Sending, evicting evicted: inout Evicted<Element>
  ) -> (subscribers: Int?, wake: Wake) {
    state.withLock { state in
      state.isUpdating = false
      return append(element, replayed: true, noting: sending, to: &state, evicting: &evicted)
    }
  }

  /// Begins to replace the newest element, recorded or not.
  func beginUpdate() -> Element {
    state.withLock { state in
      state.isUpdating = true
      return window.newest
    }
  }

  /// Appends, unless the log is finished, and notes that. With the lock held.
  ///
  /// - Parameter sending: Nil if the log was not recorded when the sending began.
  @usableFromInline
  func append(
    _ element: Element, replayed: Bool, noting sending: Sending?, to state: inout LogState,
    evicting evicted: inout Evicted<Element>
  ) -> (subscribers: Int?, wake: Wake) {
    if state.isFinished { return (nil, .nobody) }
    if state.isRecorded {
      (sending ?? Sending()).note(
        in: state, replayed: replayed ? window.limit : 0, kept: unheard)
    }
    return store(element, replayed: replayed, in: &state, evicting: &evicted)
  }

  /// With the lock held.
  ///
  /// - Returns: What the subscriber is known by, if it has no queue.
  @usableFromInline
  func noteSubscribing(
    _ queue: SubscriberQueueBase?, _ policy: BufferingPolicy, in state: LogState
  ) -> SubscriberTag? {
    guard !state.isFinished || (unheard?.count ?? 0) > 0 else { return nil }
    let subscriber: AnyObject = queue as AnyObject? ?? SubscriberTag()
    let kept = state.subscriberCount == 0 ? unheard.map { ObjectIdentifier($0) } : nil
    let replays = window.limit > 0 && !state.isFinished
    for tap in state.taps {
      tap.note(
        .subscribed(
          ObjectIdentifier(subscriber), policy, replays: replays, kept: kept))
    }
    return subscriber as? SubscriberTag
  }
}
