extension Flow {
  /// The same flow in an order that does not depend on who was faster, where the program does not
  /// decide that: without what depends on it, the comings and goings of subscribers.
  ///
  /// It keeps the order of each lane, of each subscription and of each task, and everything comes after
  /// its cause. Beyond that, what an element causes follows it immediately, depth first.
  package var canonical: Flow {
    var sorter = CanonicalSorter(events.filter { Self.canonicalKinds.contains($0.kind) })
    var flow = self
    flow.events = sorter.sorted().renumberingSubscriptions()
    return flow
  }

  private static let canonicalKinds: Set<Kind> = [
    .sent, .taken, .dropped, .displaced, .finished, .superseded, .ignored,
  ]
}

/// A topological sort. Each edge leads from an earlier event to a later one, so there is no cycle.
private struct CanonicalSorter {
  private let events: [Flow.Event]
  private var successors: [[Int]]
  private var waitsFor: [Int]
  private let keys: [Key]

  /// Which of several events that may be next comes first.
  private struct Key: Comparable {
    let rank: Int
    /// For a take, the first lane to which its consumer sent something because of it.
    let effect: Int
    let lane: Int
    let text: String
    let place: Int

    static func < (one: Key, other: Key) -> Bool {
      (one.rank, one.effect, one.lane, one.text, one.place)
        < (other.rank, other.effect, other.lane, other.text, other.place)
    }
  }

  init(_ events: [Flow.Event]) {
    self.events = events
    let edges = Self.edges(among: events)
    successors = events.map { _ in [] }
    waitsFor = events.map { _ in 0 }
    var effects: [Int: Int] = [:]
    for (earlier, later) in edges {
      successors[earlier].append(later)
      waitsFor[later] += 1
      if events[earlier].kind == .taken, events[later].cause == events[earlier].element {
        effects[earlier] = min(effects[earlier] ?? .max, events[later].lane)
      }
    }
    keys = events.enumerated().map { place, event in
      let rank = event.kind == .taken ? 0 : event.cause != nil ? 1 : 2
      return Key(
        rank: rank, effect: effects[place] ?? .max, lane: event.lane, text: event.text, place: place)
    }
  }

  mutating func sorted() -> [Flow.Event] {
    var next = events.indices.filter { waitsFor[$0] == 0 }.sorted { keys[$0] > keys[$1] }
    var sorted: [Flow.Event] = []
    while let place = next.popLast() {
      sorted.append(events[place])
      for successor in successors[place] { waitsFor[successor] -= 1 }
      let ready = Set(successors[place]).filter { waitsFor[$0] == 0 }
      next += ready.sorted { keys[$0] > keys[$1] }
    }
    return sorted
  }

  private static func edges(among events: [Flow.Event]) -> [(Int, Int)] {
    var edges: [(Int, Int)] = []
    var lastOfActor: [UInt64: Int] = [:]
    var lastOfLane: [Int: Int] = [:]
    var lastOfSubscription: [[Int]: Int] = [:]
    var sent: [Int: Int] = [:]
    var takes: [Int: [Int]] = [:]
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
