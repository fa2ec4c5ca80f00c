/// What each subscription did in its whole life, and what came of it. By this, subscriptions are told apart
/// in an order that does not depend on who was faster, as their numbers do.
struct SubscriptionHistories {
  /// For each event, the history of its subscription; nothing if it has none.
  let ofEvents: [String]

  private struct Consumer: Hashable {
    let lane: Int
    let subscription: Int
  }

  /// An element, at work on which a task may send others.
  private struct Work: Hashable {
    let element: Int
    let actor: UInt64
  }

  init(_ events: [Flow.Event]) {
    let places = Self.places(of: events)
    var histories: [Consumer: String] = [:]
    var consumers: [Work: Consumer] = [:]
    for event in events {
      if let consumer = Self.consumer(event) {
        let place = event.element.flatMap { places[$0] }.map { "\($0)" } ?? "-"
        histories[consumer, default: ""] += "\(event.kind) \(place);"
        if event.kind == .taken, let element = event.element {
          consumers[Work(element: element, actor: event.actor)] = consumer
        }
      } else if let cause = event.cause,
        let consumer = consumers[Work(element: cause, actor: event.actor)]
      {
        histories[consumer, default: ""] += "to \(event.lane) \(event.text);"
      }
    }
    ofEvents = events.map { Self.consumer($0).flatMap { histories[$0] } ?? "" }
  }

  private static func consumer(_ event: Flow.Event) -> Consumer? {
    event.subscription.map { Consumer(lane: event.lane, subscription: $0) }
  }

  /// The place of each element in its lane, which unlike its number is the same in each run.
  private static func places(of events: [Flow.Event]) -> [Int: Int] {
    var counts: [Int: Int] = [:]
    var places: [Int: Int] = [:]
    for event in events where event.kind == .sent {
      places[event.id] = counts[event.lane, default: 0]
      counts[event.lane, default: 0] += 1
    }
    return places
  }
}
