import AsyncChannels

/// One log, or one derived inlet, as a recording follows it. The lock of the `EventStore` comes after that of the log.
final class LogRecorder: LogObserver {
  let owner: EventStore
  let lane: Int
  let name: LaneName
  private let kind: Flow.LaneKind
  /// Whether the name says, or may say, that nothing of the elements is to be seen.
  let isSecret: Bool

  init(_ name: LaneName, on store: EventStore, kind: Flow.LaneKind) {
    owner = store
    self.kind = kind
    self.name = name
    isSecret = name.isMadeUp || store.describer.isSecret(name.name)
    lane = store.addLane(Flow.Lane(name: name.name, owner: name.owner, kind: kind))
  }

  /// What came through an inlet that is named like a secret is one in each lane.
  func describe(_ element: Any, through inletCalls: [InletCall]) -> String {
    if name.isMadeUp { return "…" }
    if !isSecret, inletCalls.isEmpty { return owner.describer.describe(element) }
    return owner.describer.describe(element, under: [name.name] + inletCalls.flatMap(owner.names))
  }

  func keeps(_ element: Int) -> Bool { owner.keeps(element) }

  /// For an inlet with no log behind it that the recording knows.
  func noteSent(by sending: Sending) { owner.noteSent(nil, by: sending, in: lane) }

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
      owner.noteSent(element, by: sending, in: lane)
    case .taken(let subscriber, let slot):
      guard let element = owner.noteTaken(by: subscriber, slot: slot, in: lane) else { return nil }
      return took(element, by: subscriber)
    case .asked(let asking): return forget(asking.subscriber)
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
  private func took(_ element: Int, by subscriber: Int) -> AfterLock {
    AfterLock { [self] in CauseTable.shared.took(element, from: self, by: subscriber) }
  }

  /// What the running task sends from now on is not caused by what it took from this subscription.
  private func forget(_ subscriber: Int) -> AfterLock {
    AfterLock { [self] in CauseTable.shared.forget(self, subscriber) }
  }

  var report: String? { FlowText(owner.flow, showsTimes: true).text }
}
