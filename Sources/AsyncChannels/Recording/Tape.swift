import Synchronization

/// What a recording has recorded. The logs that it watches hold it, and it holds none of them.
///
/// Its lock comes after that of a log, and nothing is called while it is held.
final class Tape: Sendable {
  private let state: Locked<TapeState>
  private let hasEnded = Atomic(false)
  /// How long it has been recording.
  private let elapsed: @Sendable () -> Duration
  let describer: Describer

  init(limit: Int, describer: Describer, elapsed: @escaping @Sendable () -> Duration) {
    state = Locked(TapeState(limit: limit))
    self.describer = describer
    self.elapsed = elapsed
  }

  func addLane(_ lane: Flow.Lane) -> Int {
    state.withLock { $0.addLane(lane) }
  }

  /// Nothing to record was found in an object.
  func noteEmpty(_ object: String) {
    state.withLock { state in
      if !state.empties.contains(object) { state.empties.append(object) }
    }
  }

  func note(_ step: LogStep, in lane: Int) -> Int? {
    // Asked with the lock held, the clock would be user's code in it; so times may be out of order
    // by as long as a lock is waited for, and are put in order.
    let time = elapsed()
    let actor = Sender.current
    let vias = if case .sent(let element) = step { element.vias.map(seen) } else { [SeenVia]() }
    return state.withLock { $0.note(step, in: lane, through: vias, at: time, by: actor) }
  }

  /// A derived inlet as this recording sees it.
  private func seen(_ via: Via) -> SeenVia {
    SeenVia(lane: lane(of: via)?.lane, property: via.place?.property)
  }

  private func lane(of via: Via) -> TapedLog? {
    via.taps.lazy.compactMap { $0 as? TapedLog }.first { $0.owner === self }
  }

  func isSecret(_ via: Via) -> Bool {
    lane(of: via)?.isSecret == true
      || via.place?.property.map { describer.isSecret($0.name) } == true
  }

  /// To be called when the recording is dropped, before `Causes` clears out what is of this tape.
  func end() {
    hasEnded.store(true, ordering: .relaxed)
  }

  /// False for all once the recording was dropped.
  func keeps(_ event: Int) -> Bool {
    !hasEnded.load(ordering: .relaxed) && state.withLock { $0.keeps(event) }
  }

  var flow: Flow {
    let (lanes, events, leftOut, empties) = state.withLock { state in
      (state.lanes.map(\.lane), state.keptEvents, state.leftOut, state.empties)
    }
    return Flow(
      lanes: lanes,
      events: events.map { event, caption in
        var event = event
        if let caption { event.text = caption.text }
        return event
      }, leftOut: leftOut, empties: empties)
  }
}

/// A derived inlet: the lane under which it was added, or else the property that computes it.
struct SeenVia: Sendable {
  let lane: Int?
  let property: (name: String, file: String)?
}

/// See `Tape`. The newest `limit` events, and what is to be known to number elements and
/// subscriptions.
struct TapeState: Sendable {
  let limit: Int
  var lanes: [TapedLane] = []
  var empties: [String] = []
  /// The event with the number `n` is at `n % limit`.
  private var events: [(event: Flow.Event, caption: Caption?)] = []
  private var next = 0
  private var lastTime = Duration.zero

  init(limit: Int) {
    self.limit = limit
  }

  var leftOut: Int { max(0, next - limit) }

  var keptEvents: [(event: Flow.Event, caption: Caption?)] {
    guard next > limit else { return events }
    let start = next % limit
    return Array(events[start...] + events[..<start])
  }

  func keeps(_ event: Int) -> Bool { event >= leftOut }

  mutating func addLane(_ lane: Flow.Lane) -> Int {
    lanes.append(TapedLane(lane))
    return lanes.count - 1
  }

  mutating func note(
    _ step: LogStep, in lane: Int, through vias: [SeenVia], at time: Duration, by actor: UInt64
  ) -> Int? {
    lastTime = max(time, lastTime)
    switch step {
    case .attached(let queues, let kept, let replayed):
      lanes[lane].prepare(queues: queues, kept: kept, replayed: replayed)
    case .sent(let element):
      noteSent(element, through: vias, in: lane)
    case .subscribed(let subscriber, let policy, let replays, let kept):
      let number = lanes[lane].subscribe(
        subscriber, buffering: policy, replays: replays, kept: kept)
      add(.subscribed, lane, by: actor, subscription: number)
    case .taken(let subscriber, let slot):
      return noteTaken(lanes[lane].slots[slot], by: subscriber, in: lane, actor)
    case .popped(let subscriber):
      return noteTaken(lanes[lane].pop(from: subscriber), by: subscriber, in: lane, actor)
    case .handedOver(let subscriber):
      if let take = lanes[lane].lastTakes[subscriber], keeps(take) {
        events[take % limit].event.actor = actor
      }
    case .left(let subscriber):
      add(.left, lane, by: actor, subscription: lanes[lane].number(of: subscriber))
      lanes[lane].forget(subscriber)
    case .cancelled(let subscriber):
      add(.cancelled, lane, by: actor, subscription: lanes[lane].number(of: subscriber))
    case .displaced(let subscriber):
      add(.displaced, lane, by: actor, subscription: lanes[lane].number(of: subscriber))
    case .finished:
      add(.finished, lane, by: actor)
    case .superseded(let element):
      add(.superseded, lane, by: actor, element: element)
    case .ignored(let element):
      add(.ignored, lane, by: actor, element: element)
    }
    return nil
  }

  private mutating func add(
    _ kind: Flow.Kind, _ lane: Int, by actor: UInt64, element: Int? = nil,
    cause: Int? = nil, subscription: Int? = nil, receivers: Int = 0, vias: [Int] = [],
    caption: Caption? = nil
  ) {
    let event = Flow.Event(
      id: next, kind: kind, lane: lane, time: lastTime, element: element, cause: cause,
      subscription: subscription, receivers: receivers, vias: vias, actor: actor)
    if next < limit {
      events.append((event, caption))
    } else {
      let old = events[next % limit].event
      if old.kind == .sent { lanes[old.lane].forgetElement(old.id) }
      events[next % limit] = (event, caption)
    }
    next += 1
  }

  private mutating func noteTaken(
    _ element: Int?, by subscriber: ObjectIdentifier, in lane: Int, _ actor: UInt64
  ) -> Int? {
    let number = lanes[lane].number(of: subscriber)
    // What was sent before the recording began has no number, and nothing to tell.
    guard let element else { return nil }
    lanes[lane].lastTakes[subscriber] = next
    add(.taken, lane, by: actor, element: element, subscription: number)
    return element
  }

  private mutating func noteSent(
    _ sent: SentElement, through vias: [SeenVia], in lane: Int
  ) {
    let vias = vias.compactMap { self.lane(of: $0, before: lane) }
    let id = next
    add(
      .sent, lane, by: sent.sender, element: id, cause: sent.cause?.element,
      receivers: sent.subscribers, vias: vias, caption: sent.caption)
    if let slot = sent.slot { lanes[lane].add(id, slot: slot) }
    if sent.replayed > 0 { lanes[lane].replay(id, limit: sent.replayed) }
    for (subscriber, policy) in sent.queues {
      guard let dropped = lanes[lane].offer(id, to: subscriber, policy) else { continue }
      let number = lanes[lane].number(of: subscriber)
      add(.dropped, lane, by: sent.sender, element: dropped.element, subscription: number)
    }
    if let (queue, policy) = sent.kept, let dropped = lanes[lane].offer(id, to: queue, policy) {
      add(.dropped, lane, by: sent.sender, element: dropped.element)
    }
  }

  private mutating func lane(of via: SeenVia, before lane: Int) -> Int? {
    if let known = via.lane { return known }
    guard let (name, file) = via.property else { return nil }
    let owner = lanes.first { $0.lane.owner == file }?.lane.owner ?? lanes[lane].lane.owner
    if let known = lanes.firstIndex(where: { $0.lane.name == name && $0.lane.owner == owner }) {
      return known
    }
    return addLane(Flow.Lane(name: name, owner: owner, kind: .inlet))
  }
}
