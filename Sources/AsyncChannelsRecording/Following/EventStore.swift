import AsyncChannels
import Synchronization

/// What a recording has recorded. The logs that it watches hold it, and it holds none of them.
///
/// Its lock comes after that of a log, and nothing is called while it is held.
final class EventStore: Sendable {
  private let state: Locked<EventStoreState>
  private let hasEnded = Atomic(false)
  let adding = Locked(())
  /// The logs of lanes, while they exist. No other lock is taken inside this one.
  private let watched = Locked<[Int: WatchedLog]>([:])
  /// How long it has been recording.
  private let elapsed: @Sendable () -> Duration
  let describer: Describer

  /// No recorder has a weak reference, which would make each of its retains and releases slow.
  private struct WatchedLog {
    weak var log: (any Followed)?
  }

  init(limit: Int, describer: Describer, elapsed: @escaping @Sendable () -> Duration) {
    state = Locked(EventStoreState(limit: limit))
    self.describer = describer
    self.elapsed = elapsed
  }

  func addLane(_ lane: Flow.Lane) -> Int {
    state.withLock { $0.addLane(lane) }
  }

  func rename(_ lane: Int, _ new: Flow.Lane) {
    state.withLock { $0.change(lane) { $0 = new } }
  }

  func watch(_ lane: Int, of log: any Followed) {
    watched.withLock { $0[lane] = WatchedLog(log: log) }
  }

  /// Who records a log for this.
  func recorder(of log: any Followed) -> LogRecorder? {
    log.observers.lazy.compactMap { $0 as? LogRecorder }.first { $0.owner === self }
  }

  func laneIsGone(_ lane: Int) {
    watched.withLock { $0[lane] = nil }
    state.withLock { $0.laneIsGone(lane) }
  }

  /// A state's value when nothing was sent to it yet.
  func noteCurrent(_ words: String, in lane: Int) {
    state.withLock { state in
      if state.lanes[lane].sent == nil { state.change(lane) { $0.value = words } }
    }
  }

  /// Words that are known later than their event.
  func noteWords(_ words: String, of event: Int) {
    state.withLock { $0.noteWords(words, of: event) }
  }

  /// Nothing to record was found in an object.
  func noteEmpty(_ object: String) {
    state.withLock { state in
      if !state.empties.contains(object) { state.empties.append(object) }
    }
  }

  /// Not all of an object was looked at.
  func noteCut(_ sentence: String) {
    state.withLock { state in
      if !state.cuts.contains(sentence) { state.cuts.append(sentence) }
    }
  }

  func note(_ event: LogEvent, in lane: Int) {
    // Asked with the lock held, the clock would be user's code in it; so times may be out of order
    // by as long as a lock is waited for, and are put in order.
    let (time, actor) = (elapsed(), Sender.current)
    state.withLock { $0.note(event, in: lane, at: time, by: actor) }
  }

  /// - Parameter element: Nil if it is in no log.
  /// - Returns: The number of the event.
  func noteSent(_ element: SentElement?, by sending: Sending, in lane: Int) -> Int {
    let (time, inlets) = (elapsed(), sending.inletCalls.map(seen))
    return state.withLock {
      $0.noteSent(element, by: sending, through: inlets, in: lane, at: time)
    }
  }

  /// - Parameter lane: One of those that belong to the gate's owner.
  func noteRefused(_ sending: Sending, near lane: Int) {
    let (time, inlets) = (elapsed(), sending.inletCalls.map(seen))
    state.withLock { $0.noteRefused(by: sending, through: inlets, near: lane, at: time) }
  }

  /// Returns the number of the element, if it is known.
  func noteTaken(by subscriber: Int, slot: Int?, in lane: Int, _ actor: UInt64) -> Int? {
    let time = elapsed()
    return state.withLock { $0.noteTaken(by: subscriber, slot: slot, in: lane, at: time, actor) }
  }

  /// A derived inlet as this recording sees it.
  private func seen(_ inlet: InletCall) -> SeenInlet {
    SeenInlet(lane: lane(of: inlet)?.lane, property: inlet.property)
  }

  private func lane(of inlet: InletCall) -> LogRecorder? {
    inlet.logs.first { $0.owner === self }
  }

  /// What an inlet is called: its lane, and the property that computes it.
  func names(of inlet: InletCall) -> [String] {
    [lane(of: inlet)?.name.name, inlet.property?.name].compactMap { $0 }
  }

  /// To be called when the recording is dropped, before `CauseTable` clears out what is of this store.
  func end() {
    for watched in watched.withLock({ Array($0.values) }) {
      if let log = watched.log, let recorder = recorder(of: log) { log.detach(recorder) }
    }
    hasEnded.store(true, ordering: .relaxed)
  }

  /// False for all once the recording was dropped.
  func keeps(_ event: Int) -> Bool {
    !hasEnded.load(ordering: .relaxed) && state.withLock { $0.keeps(event) }
  }

  /// For who reads the recording as it goes on.
  func withState<Result>(_ body: (inout EventStoreState) -> Result) -> Result {
    state.withLock { body(&$0) }
  }

  var flow: Flow {
    let (lanes, events, leftOut, empties, cuts) = state.withLock { state in
      (state.lanes.map(\.known), state.keptEvents, state.leftOut, state.empties, state.cuts)
    }
    return Flow(
      lanes: lanes,
      events: events.map { event, pendingText in
        var event = event
        if let pendingText { event.text = pendingText.text }
        return event
      }, leftOut: leftOut, empties: empties, cuts: cuts)
  }
}

/// An event, and the words that may come later.
typealias KeptEvent = (event: Flow.Event, pendingText: PendingText?)

/// A derived inlet: the lane under which it was added, or else the property that computes it.
struct SeenInlet: Sendable {
  let lane: Int?
  let property: (name: String, file: String)?
}

/// See `EventStore`. The newest `limit` events, and what is to be known to number elements and
/// subscriptions.
struct EventStoreState: Sendable {
  let limit: Int
  var lanes: [RecordedLane] = []
  var empties: [String] = []
  var cuts: [String] = []
  /// The event with the number `n` is at `n % limit`.
  private var events: [KeptEvent] = []
  private(set) var next = 0
  /// Lanes whose logs are gone, the first to go first, with the next event then. They are used again when no event of
  /// theirs is kept, since a program may make channels for ever.
  private var gone: [(lane: Int, next: Int)] = []
  var readers: [ReaderState] = []
  var crashFile: CrashFile?
  private var lastTime = Duration.zero

  init(limit: Int) {
    self.limit = limit
  }

  var leftOut: Int { max(0, next - limit) }

  var keptEvents: [KeptEvent] { (leftOut..<next).map { events[$0 % limit] } }

  subscript(_ event: Int) -> KeptEvent { events[event % limit] }

  func keeps(_ event: Int) -> Bool { event >= leftOut }

  mutating func addLane(_ lane: Flow.Lane) -> Int {
    var place = lanes.count
    if let first = gone.first, first.next <= leftOut {
      place = gone.removeFirst().lane
      lanes[place] = RecordedLane(lane)
    } else {
      lanes.append(RecordedLane(lane))
    }
    change(place) { _ in }
    return place
  }

  mutating func laneIsGone(_ lane: Int) {
    crashFile?.forget(lane)
    gone.append((lane, next))
  }

  /// Tells those who read along.
  mutating func change(_ lane: Int, _ change: (inout Flow.Lane) -> Void) {
    change(&lanes[lane].lane)
    for reader in readers.indices { readers[reader].note(lane: lane) }
    crashFile?.write(lanes[lane].known, in: lane)
  }

  mutating func noteWords(_ words: String, of event: Int) {
    guard keeps(event) else { return }
    let kept = self[event].event
    for reader in readers.indices { readers[reader].note(changed: event) }
    crashFile?.write(kept, words, in: lanes[kept.lane])
  }

  /// `LogRecorder` sorts out what is sent and taken.
  mutating func note(
    _ event: LogEvent, in lane: Int, at time: Duration, by actor: UInt64
  ) {
    lastTime = max(time, lastTime)
    if lanes[lane].isOfStranger(event) { return }
    switch event {
    case .sent, .taken, .stepEnded: break
    case .demanded(let demand):
      guard let take = lanes[lane].lastTake(of: demand.subscriber), keeps(take),
        self[take].event.done == nil
      else { break }
      events[take % limit].event.done = lastTime
      for reader in readers.indices { readers[reader].note(changed: take) }
    case .attached(let log): lanes[lane].prepare(log)
    case .subscribed(let subscriber, let policy, let replays, _):
      let number = lanes[lane].number(of: subscriber)
      let dropped = lanes[lane].subscribe(subscriber, buffering: policy, replays: replays)
      add(.subscribed, lane, by: actor, subscription: number)
      for element in dropped {
        add(.dropped, lane, by: actor, element: element, subscription: number)
      }
    case .takenByHand(let subscriber):
      if let take = lanes[lane].lastTake(of: subscriber), keeps(take) {
        events[take % limit].event.actor = actor
      }
    case .left(let subscriber, _):
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
    case .abandoned(let element):
      add(.abandoned, lane, by: actor, element: element)
    }
  }

  private mutating func add(
    _ kind: Flow.Kind, _ lane: Int, by actor: UInt64, element: Int? = nil,
    cause: Int? = nil, subscription: Int? = nil, receivers: Int = 0, inlets: [Int] = [],
    pendingText: PendingText? = nil
  ) {
    let event = Flow.Event(
      id: next, kind: kind, lane: lane, time: lastTime, element: element, cause: cause,
      subscription: subscription, receivers: receivers, inlets: inlets, actor: actor)
    if next < limit {
      events.append((event, pendingText))
    } else {
      let (old, words) = events[next % limit]
      if old.kind == .sent {
        lanes[old.lane].forgetElement(old.id)
        if lanes[old.lane].lane.kind == .state { lanes[old.lane].lane.value = words?.known }
      }
      events[next % limit] = (event, pendingText)
    }
    next += 1
    if kind == .sent, lanes[lane].lane.kind == .state { lanes[lane].sent = pendingText }
    for reader in readers.indices { readers[reader].wakeUp() }
    if let crashFile, kind != .sent || pendingText?.known != nil {
      crashFile.write(event, pendingText?.known, in: lanes[lane])
    }
  }

  mutating func noteTaken(
    by subscriber: Int, slot: Int?, in lane: Int, at time: Duration, _ actor: UInt64
  ) -> Int? {
    lastTime = max(time, lastTime)
    let element =
      if let slot { lanes[lane].element(in: slot) } else { lanes[lane].pop(from: subscriber) }
    // What was sent before the recording began has no number, and nothing to tell.
    guard let element else {
      _ = lanes[lane].number(of: subscriber)
      return nil
    }
    let number = lanes[lane].number(of: subscriber, takingIn: next)
    add(.taken, lane, by: actor, element: element, subscription: number)
    return element
  }

  mutating func noteSent(
    _ sent: SentElement?, by sending: Sending, through inlets: [SeenInlet], in lane: Int,
    at time: Duration
  ) -> Int {
    lastTime = max(time, lastTime)
    let inlets = inlets.compactMap { self.lane(of: $0, before: lane) }
    let id = next
    add(
      .sent, lane, by: sending.sender, element: id, cause: sending.cause,
      receivers: sent?.subscriberCount ?? 1, inlets: inlets, pendingText: sending.pendingText)
    guard let sent else { return id }
    if let slot = sent.slot { lanes[lane].add(id, slot: slot) }
    if sent.replayed > 0 { lanes[lane].replay(id, limit: sent.replayed) }
    for (subscriber, policy) in sent.queues {
      guard let dropped = lanes[lane].offer(id, to: subscriber, policy) else { continue }
      let number = lanes[lane].number(of: subscriber)
      add(.dropped, lane, by: sending.sender, element: dropped.element, subscription: number)
    }
    return id
  }

  /// It was sent to the gate, the last of the inlets, and went no further.
  mutating func noteRefused(
    by sending: Sending, through inlets: [SeenInlet], near lane: Int, at time: Duration
  ) {
    lastTime = max(time, lastTime)
    let way = inlets.compactMap { self.lane(of: $0, before: lane) }
    let nameless = SeenInlet(lane: nil, property: ("when", ""))
    guard let gate = way.last ?? self.lane(of: nameless, before: lane) else { return }
    let id = next
    add(
      .sent, gate, by: sending.sender, element: id, cause: sending.cause, inlets: way.dropLast(),
      pendingText: sending.pendingText)
    add(.refused, gate, by: sending.sender, element: id)
  }

  private mutating func lane(of inlet: SeenInlet, before lane: Int) -> Int? {
    if let known = inlet.lane { return known }
    guard let (name, file) = inlet.property else { return nil }
    let owner = lanes.first { $0.lane.owner == file }?.lane.owner ?? lanes[lane].lane.owner
    if let known = lanes.firstIndex(where: { $0.lane.name == name && $0.lane.owner == owner }) {
      return known
    }
    return addLane(Flow.Lane(name: name, owner: owner, kind: .inlet))
  }
}
