/// One deadline, on some clock, and where the test asks for it.
struct Wait<C: Clock<Duration>>: Sendable {
  let clock: C
  let place: SourcePlace
  private let start: C.Instant
  private let limit: Duration

  init(_ limit: Duration, on clock: C, at place: SourcePlace) {
    self.clock = clock
    self.place = place
    self.limit = limit.countable
    start = clock.now
  }

  var deadline: C.Instant { start.advanced(by: limit) }

  /// How long the wait has lasted.
  var elapsed: Duration { start.duration(to: clock.now) }
}

extension Probe {
  /// How a wait ended.
  enum Arrival: Sendable {
    case element(Element), end, nothing, cancelled, displaced
  }

  func next(
    expecting expected: @autoclosure () -> String, _ wait: Wait<some Clock<Duration>>
  ) async throws(ProbeFailure) -> Element {
    let arrival = await arrival(wait)
    if case .element(let element) = arrival { return element }
    throw failure(expecting: expected(), arrival, wait)
  }

  /// Waits for an element or the end until the deadline, then looks once more at what is there.
  func arrival(_ wait: Wait<some Clock<Duration>>) async -> Arrival {
    let subscription = subscription
    let consumer = subscription.makeTicket()
    if let taken = await subscription.next(as: consumer, by: wait.deadline, on: wait.clock) {
      // By a child task; what this one does next comes after it.
      subscription.feed.waiter.note(.takesByHand)
      return .element(taken)
    }
    if Task.isCancelled { return .cancelled }
    let rest = subscription.takeNow(as: consumer)
    if let element = rest.element { return .element(element) }
    return switch rest.look {
    case .finished: .end
    case .displaced: .displaced
    case .readable, .nothing: .nothing
    }
  }

  func failure(
    expecting expected: String, _ arrival: Arrival, _ wait: Wait<some Clock<Duration>>
  ) -> ProbeFailure {
    let came =
      switch arrival {
      // What hides a part of itself may look the same and not be equal.
      case .element(let element) where show(element) == expected: "another \(expected) came"
      case .element(let element): "\(show(element)) came"
      case .end: "the outlet ended"
      case .nothing: "nothing came"
      case .cancelled: "the task was cancelled"
      case .displaced: "another wait of this probe took its place"
      }
    return ProbeFailure(
      "Expected \(expected), but \(came) within \(wait.elapsed.rounded).", at: wait.place,
      flow: subscription.feed.waiter.flow())
  }

  /// As a recording shows it: as the element describes itself, without what is secret.
  func show(_ element: Element) -> String {
    Describer().describe(element)
  }

  func list(_ elements: [Element]) -> String {
    elements.isEmpty ? "none" : elements.map(show).joined(separator: ", ")
  }
}

extension Duration {
  /// In whole milliseconds below a second, else in tenths of a second.
  fileprivate var rounded: String {
    let (seconds, attoseconds) = components
    let milliseconds = seconds * 1000 + (attoseconds + 500_000_000_000_000) / 1_000_000_000_000_000
    guard milliseconds >= 1000 else { return "\(milliseconds) ms" }
    let tenths = (milliseconds + 50) / 100
    return "\(tenths / 10).\(tenths % 10) s"
  }
}
