import AsyncChannels
import Proof

/// The steps of a history, done with the library.
final class LibraryRun<Element: Numbered> {
  private enum Owner {
    case channel(Channel<Element>)
    case value(CurrentValue<Element>)
  }

  private let census = Census(listsNumbers: true)
  private let inlet: Inlet<Element>
  private let outlet: Outlet<Element>
  private var owner: Owner?
  /// Nobody consumes it.
  private let counts: Subscription<Int>
  private var subscriptions: [(number: Int, place: Subscription<Element>)] = []
  private var takers: [(number: Int, Taker)] = []
  private var settlers: [Settler] = []
  private var sent = 0
  private var results: [Int?] = []
  /// For how many seconds to wait for a ring.
  private let patience: Double

  init(_ setup: Setup, patience: Double) {
    self.patience = patience
    if setup.isCurrentValue {
      let value = CurrentValue(Element(0, in: census))
      owner = .value(value)
      counts = value.subscriberCounts.subscribe()
      inlet = value.inlet
      outlet = value.outlet.outlet
      sent = 1
    } else {
      let channel = Channel<Element>(replaying: setup.replays, buffering: setup.policy)
      owner = .channel(channel)
      counts = channel.subscriberCounts.subscribe()
      inlet = channel.inlet
      outlet = channel.outlet
    }
  }

  /// - Parameter expected: What the model says; only to know when to wait no longer.
  func apply(_ step: Step, expecting expected: Observation) {
    results = []
    switch step {
    case .send(let count, let replayed, let way):
      for _ in 0..<count { send(replayed: replayed, by: way) }
    case .subscribe(let number, let policy, let isDerived):
      let outlet = isDerived ? outlet.map { $0 } : outlet
      subscriptions.append((number, outlet.subscribe(buffering: policy)))
    case .consume(let number, let subscriber, let wanted, let pace, let inBatches):
      guard let (_, place) = subscriptions.first(where: { $0.number == subscriber }) else { return }
      let taker = Taker(number, of: place, wanted: wanted, pace: pace, inBatches: inBatches)
      takers.append((number, taker))
    case .run(let number):
      taker(number)?.run(
        atMost: patience, until: expected.consumers.first { $0.number == number })
    case .cancel(let number):
      taker(number)?.cancel()
      settlers.first { $0.number == number }?.cancel()
    case .drop(let number):
      subscriptions.removeAll { $0.number == number }
    case .settle(let number):
      settlers.append(Settler(number, of: outlet))
    case .finish:
      switch owner {
      case .channel(let channel): channel.finish()
      case .value(let value): value.finish()
      case nil: break
      }
    case .dropOwner:
      owner = nil
    }
    for (settler, expected) in zip(settlers, expected.settlings) {
      settler.run(atMost: patience, until: expected)
    }
  }

  var observation: Observation {
    var observation = Observation()
    observation.sent = results
    observation.countChanges = counts.pendingCount
    switch owner {
    case .channel(let channel): observation.subscriberCount = channel.subscriberCount
    case .value(let value):
      observation.subscriberCount = value.subscriberCount
      observation.value = value.value.number
    case nil: break
    }
    observation.subscribers = subscriptions.map {
      .init(
        number: $0.number, dropped: $0.place.droppedCount, pending: $0.place.pendingCount)
    }
    observation.consumers = takers.map { $0.1.observation }
    observation.settlings = settlers.map(\.observation)
    observation.alive = census.alive
    return observation
  }

  private func send(replayed: Bool, by way: Step.Way) {
    let element = Element(sent, in: census)
    sent += 1
    switch (way, owner) {
    case (.inlet, _): note(inlet.send(element), of: element)
    case (_, .channel(let channel)): note(channel.send(element, replayed: replayed), of: element)
    case (.owner, .value(let value)): value.value = element
    case (.update, .value(let value)): value.update { $0 = element }
    case (_, nil): break
    }
  }

  /// An element that comes back must be the one that was sent: -1 says that it is not.
  private func note(_ result: SendResult<Element>, of element: Element) {
    switch result {
    case .sent(let subscribers): results.append(subscribers)
    case .finished(let returned): results.append(returned.number == element.number ? nil : -1)
    case .refused: results.append(-1)
    }
  }

  private func taker(_ number: Int) -> Taker? {
    takers.first { $0.number == number }?.1
  }
}
