import AsyncChannels

extension Flow {
  /// The numbers by which elements are called, `#1` and so on, by the event that sent them: of those
  /// that have no cause, or are a cause, in the order of the events.
  package var numbers: [Int: Int] {
    let causes = Set(events.compactMap(\.cause))
    let numbered = events.filter {
      $0.kind == .sent && ($0.cause == nil || causes.contains($0.id))
    }
    return Dictionary(uniqueKeysWithValues: numbered.enumerated().map { ($1.id, $0 + 1) })
  }

  /// What the lanes belong to, each once.
  package var owners: [String] {
    var owners: [String] = []
    for lane in lanes where !owners.contains(lane.owner) { owners.append(lane.owner) }
    return owners
  }

  /// The lanes in which something happens, those of one owner side by side.
  package var activeLanes: [Int] {
    let active = Set(events.flatMap { [$0.lane] + $0.inlets })
    return owners.flatMap { owner in
      lanes.indices.filter { lanes[$0].owner == owner && active.contains($0) }
    }
  }

  package var sentByID: [Int: Event] {
    Dictionary(uniqueKeysWithValues: events.filter { $0.kind == .sent }.map { ($0.id, $0) })
  }
}

/// Each event in words, in every text and picture.
package struct FlowWords {
  package let numbers: [Int: Int]
  package let sent: [Int: Flow.Event]
  /// The lanes that have had more than one subscription.
  private let sharedLanes: Set<Int>
  /// A state has its value though nobody listens.
  private let states: Set<Int>
  private let showsTimes: Bool

  package init(_ flow: Flow, showsTimes: Bool) {
    numbers = flow.numbers
    sent = flow.sentByID
    sharedLanes = Set(flow.events.filter { ($0.subscription ?? 1) > 1 }.map(\.lane))
    states = Set(flow.lanes.indices.filter { flow.lanes[$0].kind == .state })
    self.showsTimes = showsTimes
  }

  /// `#1 true ← #2`, `#1 taken after 0.3 ms`.
  package func sentence(_ event: Flow.Event) -> String {
    switch event.kind {
    case .sent: sentWords(event)
    case .taken: "\(shortName(event)) taken\(wait(event))\(subscriber(event))"
    case .dropped: "\(name(event)) dropped\(subscriber(event))"
    case .superseded, .ignored, .abandoned, .refused: "\(name(event)) \(event.kind)"
    case .finished: "finished"
    case .subscribed: "\(number(event)) subscribed"
    case .left: "\(number(event)) left"
    case .cancelled: "\(number(event)) cancelled"
    case .displaced: "\(number(event)) displaced by a newer consumer"
    }
  }

  /// How an element is called: by its number, or as it is.
  package func name(_ event: Flow.Event) -> String {
    guard let element = event.element else { return "an earlier element" }
    if let number = numbers[element] { return "#\(number)" }
    return sent[element]?.text.printable ?? "an earlier element"
  }

  /// So short, with times, that how long it waited is still on the line.
  private func shortName(_ event: Flow.Event) -> String {
    showsTimes ? name(event).clipped(to: 24, ellipsis: "…") : name(event)
  }

  private func sentWords(_ event: Flow.Event) -> String {
    var words = numbers[event.id].map { "#\($0) " } ?? ""
    words += event.text.printable
    if let cause = event.cause {
      words += " ← \(numbers[cause].map { "#\($0)" } ?? "an earlier element")"
    }
    if showsTimes, event.receivers != 1, !(event.receivers == 0 && states.contains(event.lane)) {
      words += event.receivers == 0 ? " (to nobody)" : " (to \(event.receivers))"
    }
    return words
  }

  private func wait(_ event: Flow.Event) -> String {
    guard showsTimes, let sent = event.element.flatMap({ sent[$0] }) else { return "" }
    return " after \((event.time - sent.time).milliseconds) ms"
  }

  private func number(_ event: Flow.Event) -> String {
    "subscription \(event.subscription ?? 0)"
  }

  private func subscriber(_ event: Flow.Event) -> String {
    sharedLanes.contains(event.lane) ? " by \(number(event))" : ""
  }
}

extension Duration {
  /// In tenths: `15.9`.
  package var milliseconds: String {
    let (seconds, attoseconds) = components
    let tenths = seconds * 10_000 + (attoseconds + 50_000_000_000_000) / 100_000_000_000_000
    return "\(tenths / 10).\(tenths % 10)"
  }
}
