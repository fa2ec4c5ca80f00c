import AsyncChannels

extension Flow {
  /// The same flow in an order that does not depend on who was faster, where the program does not
  /// decide that: without what depends on it, the comings and goings of subscribers.
  ///
  /// It keeps the order of each lane, of each subscription and of each task, and everything comes after
  /// its cause. Beyond that, what has no cause comes as early as it can, so one sees what waits for
  /// what; and what an element causes follows it immediately, depth first.
  package var canonical: Flow {
    var sorter = CanonicalSorter(events.filter { Self.canonicalKinds.contains($0.kind) })
    var flow = self
    flow.events = sorter.sorted().renumberingSubscriptions()
    return flow
  }

  private static let canonicalKinds: Set<Kind> = [
    .sent, .taken, .dropped, .displaced, .finished, .superseded, .ignored, .abandoned, .refused,
  ]
}

/// A topological sort. Each edge leads from an earlier event to a later one, so there is no cycle.
private struct CanonicalSorter {
  private let events: [Flow.Event]
  private var successors: [[Int]]
  private var waitsFor: [Int]
  /// For a take, the first lane to which its consumer ever sent something because of what it took;
  /// one that sent nothing is first.
  private let effects: [Int]
  /// See `SubscriptionHistories`.
  private let histories: [String]

  /// What has no cause comes first, what ends something last. Of the others the newest comes first.
  private enum Stack: Int, CaseIterable {
    case uncaused, caused, last

    init(_ event: Flow.Event) {
      self =
        switch event.kind {
        case .taken: .caused
        case .finished, .displaced: .last
        default: event.cause == nil ? .uncaused : .caused
        }
    }
  }

  init(_ events: [Flow.Event]) {
    self.events = events
    let edges = Self.edges(among: events)
    successors = events.map { _ in [] }
    waitsFor = events.map { _ in 0 }
    var effects: [[Int]: Int] = [:]
    for (earlier, later) in edges {
      successors[earlier].append(later)
      waitsFor[later] += 1
      if events[earlier].kind == .taken, events[later].cause == events[earlier].element {
        let consumer = [events[earlier].lane, events[earlier].subscription ?? 0]
        effects[consumer] = min(effects[consumer] ?? .max, events[later].lane)
      }
    }
    self.effects = events.map { effects[[$0.lane, $0.subscription ?? 0]] ?? -1 }
    histories = SubscriptionHistories(events).ofEvents
  }

  mutating func sorted() -> [Flow.Event] {
    var next = Stack.allCases.map { _ in [Int]() }
    var sorted: [Flow.Event] = []
    func add(_ ready: some Sequence<Int>, after last: Flow.Event?) {
      for place in ready.sorted(by: { isBefore($1, $0, after: last) }) {
        next[Stack(events[place]).rawValue].append(place)
      }
    }
    add(events.indices.filter { waitsFor[$0] == 0 }, after: nil)
    while let stack = next.firstIndex(where: { !$0.isEmpty }) {
      let place = next[stack].removeLast()
      sorted.append(events[place])
      for successor in successors[place] { waitsFor[successor] -= 1 }
      add(Set(successors[place]).filter { waitsFor[$0] == 0 }, after: events[place])
    }
    return sorted
  }

  /// What the same task causes comes before what is taken, and that before what other tasks cause.
  private func isBefore(_ one: Int, _ other: Int, after last: Flow.Event?) -> Bool {
    func key(_ place: Int) -> (Int, Int, Int, String, String, Int) {
      let event = events[place]
      let rank = event.kind == .taken ? 1 : event.actor == last?.actor ? 0 : 2
      return (rank, effects[place], event.lane, event.text, histories[place], place)
    }
    return key(one) < key(other)
  }

  private static func edges(among events: [Flow.Event]) -> [(Int, Int)] {
    var edges: [(Int, Int)] = []
    var lastOfActor: [UInt64: Int] = [:]
    var lastOfLane: [Int: Int] = [:]
    var lastOfSubscription: [[Int]: Int] = [:]
    var sent: [Int: Int] = [:]
    var takes: [Int: [Int]] = [:]
    // By lane, with the element: what is ignored is ignored before the answer to an earlier element.
    var ignored: [Int: [(place: Int, element: Int)]] = [:]
    for (place, event) in events.enumerated() {
      var before = [lastOfActor.updateValue(place, forKey: event.actor)]
      if let subscription = event.subscription {
        before.append(
          lastOfSubscription.updateValue(place, forKey: [event.lane, subscription]))
      }
      if event.kind != .taken {
        before.append(lastOfLane.updateValue(place, forKey: event.lane))
      }
      if event.kind == .sent {
        sent[event.id] = place
      } else if let element = event.element {
        before.append(sent[element])
      }
      if let cause = event.cause {
        let takers = takes[cause] ?? []
        let own = takers.last { events[$0].actor == event.actor }
        before += [sent[cause], own ?? (takers.count == 1 ? takers[0] : nil)]
        let lane = sent[cause].map { events[$0].lane } ?? event.lane
        before += (ignored[lane] ?? []).filter { $0.element > cause }.map(\.place)
      }
      if event.kind == .ignored, let element = event.element {
        ignored[event.lane, default: []].append((place, element))
      }
      if event.kind == .taken, let element = event.element {
        takes[element, default: []].append(place)
      }
      edges += before.compactMap { $0 }.map { ($0, place) }
    }
    return edges
  }
}

extension [Flow.Event] {
  /// Subscriptions are counted in the order in which they appear.
  fileprivate func renumberingSubscriptions() -> [Flow.Event] {
    var numbers: [Int: [Int: Int]] = [:]
    return map { event in
      guard let old = event.subscription else { return event }
      var event = event
      let new = numbers[event.lane]?[old] ?? (numbers[event.lane]?.count ?? 0) + 1
      numbers[event.lane, default: [:]][old] = new
      event.subscription = new
      return event
    }
  }
}
