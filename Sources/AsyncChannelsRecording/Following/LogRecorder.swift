import AsyncChannels
import Synchronization

/// One log, or one derived inlet, as a recording follows it. The lock of the `EventStore` comes after that of the log.
final class LogRecorder: LogObserver {
  let owner: EventStore
  let lane: Int
  private let identity: Locked<Identity>

  private struct Identity {
    let name: LaneName
    let kind: Flow.LaneKind
    /// Whether the name is known, and not that of a secret. Found once, since it takes longer than all else that is done
    /// for an element.
    let isOrdinary: Bool
    /// Of the time when the name was missing.
    var suspects = Suspects()

    init(_ name: LaneName, _ kind: Flow.LaneKind, _ describer: Describer) {
      (self.name, self.kind) = (name, kind)
      isOrdinary = !name.isMadeUp && !name.isMissing && !describer.isSecret(name.name)
    }
  }

  init(
    _ name: LaneName, on store: EventStore, kind: Flow.LaneKind, following log: any Followed
  ) {
    owner = store
    identity = Locked(Identity(name, kind, store.describer))
    lane = store.addLane(Flow.Lane(name: name.name, owner: name.owner, kind: kind))
    log.attach(self)
    store.watch(lane, of: log)
  }

  deinit { owner.laneIsGone(lane) }

  var name: LaneName { identity.withLock { $0.name } }
  private var kind: Flow.LaneKind { identity.withLock { $0.kind } }

  /// Whether the name says, or may say, that nothing of the elements is to be seen.
  var isSecret: Bool {
    identity.withLock { !$0.isOrdinary }
  }

  /// Its name, if that was missing.
  func learn(_ name: LaneName, _ kind: Flow.LaneKind) {
    guard !name.isMissing, self.name.isMissing else { return }
    // Only one learns at a time, since `EventStore.adding` is held.
    let new = Identity(name, kind, owner.describer)
    identity.withLock {
      owner.describer.judge($0.suspects, under: name.name)
      $0 = new
    }
    owner.rename(lane, Flow.Lane(name: name.name, owner: name.owner, kind: kind))
  }

  /// The value that a state had when it began to be recorded, or got its name.
  func describeCurrent(_ element: Any) {
    owner.noteCurrent(describe(element, through: []), in: lane)
  }

  /// What came through an inlet that is named like a secret is one in each lane. While a name is missing, a text or a
  /// number may be a secret, and what has parts is known by their names.
  func describe(_ element: Any, through inletCalls: [InletCall]) -> String {
    let describer = owner.describer
    if inletCalls.isEmpty, identity.withLock({ $0.isOrdinary }) {
      return describer.describe(element)
    }
    let (name, inlets) = (name, inletCalls.flatMap(owner.names))
    if name.isMadeUp { return "…" }
    if name.isMissing {
      guard inlets.isEmpty, describer.isPlain(element) else {
        return describer.describe(element, under: inlets)
      }
      let suspects = describer.suspects(in: element)
      let isStillMissing = identity.withLock {
        $0.suspects.add(suspects)
        return $0.name.isMissing
      }
      return isStillMissing ? "…" : describe(element, through: [])
    }
    return describer.describe(element, under: [name.name] + inlets)
  }

  func keeps(_ element: Int) -> Bool { owner.keeps(element) }

  /// For an inlet with no log behind it that the recording knows.
  func noteSent(by sending: Sending) { _ = owner.noteSent(nil, by: sending, in: lane) }

  var followsElements: Bool { true }

  func prepare(_ element: Any?) -> (any SendNote)? { Sending(to: self, element) }

  func complete(_ note: any SendNote, with element: Any) {
    guard let sending = note as? Sending else { return }
    sending.pendingText.text = describe(element, through: sending.inletCalls)
  }

  func note(_ event: LogEvent) -> AfterLock? {
    switch event {
    case .sent(let element):
      let sending =
        element.note as? Sending ?? Sending(inWords: element.words.map { isSecret ? "…" : $0 })
      let id = owner.noteSent(element, by: sending, in: lane)
      sending.pendingText.isOf(id, in: owner)
    case .taken(let subscriber, let slot):
      let task = CurrentTask.number
      return owner.noteTaken(by: subscriber, slot: slot, in: lane, Sender.of(task)).map {
        took($0, by: subscriber, in: task)
      }
    case .demanded(let demand):
      owner.note(event, in: lane)
      return forget(demand.subscriber)
    case .stepEnded(let subscriber): return forget(subscriber)
    case .takenByHand(let subscriber):
      owner.note(event, in: lane)
      // What an owner takes from its input by hand is a cause. What a script takes from an output is none:
      // what it sends next is no effect of that.
      return kind == .input ? nil : forget(subscriber)
    case .left(let subscriber, _), .cancelled(let subscriber), .displaced(let subscriber):
      owner.note(event, in: lane)
      return forget(subscriber)
    default: owner.note(event, in: lane)
    }
    return nil
  }

  /// What the running task sends from now on is caused by this element.
  private func took(_ element: Int, by subscriber: Int, in task: UInt64?) -> AfterLock {
    AfterLock { [self] in CauseTable.shared.took(element, from: self, by: subscriber, in: task) }
  }

  /// What the running task sends from now on is not caused by what it took from this subscription.
  private func forget(_ subscriber: Int) -> AfterLock {
    AfterLock { [self] in CauseTable.shared.forget(self, subscriber) }
  }

  var report: String? { FlowText(owner.flow, showsTimes: true).text }
}
