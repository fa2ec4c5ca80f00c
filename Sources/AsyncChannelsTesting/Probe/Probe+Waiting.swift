import AsyncChannels
import AsyncChannelsRecording
import Synchronization

/// One deadline, on some clock, and where the test asks for it.
struct Wait<C: Clock<Duration>>: Sendable {
  let clock: C
  let place: SourceLocation
  private let start: C.Instant
  private let limit: Duration
  /// In test time, the test's clock, and when the wait began on it.
  private let inTest: (clock: TestClock, start: TestClock.Instant)?

  init(_ limit: Duration, on clock: C, at place: SourceLocation) {
    self.clock = clock
    self.place = place
    self.limit = limit.countable
    start = clock.now
    inTest = TestTime.current.map { ($0.clock, $0.clock.now) }
  }

  var deadline: C.Instant { start.advanced(by: limit) }

  /// Whether it asks for what is there already.
  var isForNow: Bool { limit <= .zero }

  /// How long the wait has lasted. In test time it does not depend on the machine.
  var elapsed: Duration {
    if let inTest { return inTest.start.duration(to: inTest.clock.now) }
    return start.duration(to: clock.now)
  }
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
    if Task.isCancelled { return .cancelled }
    collect()
    if let element = takeCollected() { return .element(element) }
    let epoch = subscription.takeOver()
    arrivals.withLock { $0.epoch = epoch }
    if let element = await next(as: epoch, wait) {
      // By a child task; what this one does next comes after it.
      subscription.upstream.waiter.note(.takesByHand)
      return .element(element)
    }
    if Task.isCancelled { return .cancelled }
    if let element = takeCollected() { return .element(element) }
    let rest = subscription.takeNow(as: epoch)
    if let element = rest.element {
      arrivals.withLock { $0.elements.append(element) }
      return takeCollected().map(Arrival.element) ?? .nothing
    }
    return switch rest.result {
    case .finished: .end
    case .displaced: .displaced
    case .readable, .nothing: .nothing
    }
  }

  /// In test time without a timer: that time stands still until the test moves it.
  private func next(as epoch: UInt64, _ wait: Wait<some Clock<Duration>>) async -> Element? {
    if let time = TestTime.current {
      if wait.isForNow { return nil }
      return await time.jobs.waiting("A probe of \(name) waits at \(wait.place).") {
        await collected(as: epoch)
      }
    }
    let (clock, deadline) = (wait.clock, wait.deadline)
    return await withTaskGroup(of: Element?.self) { group in
      group.addTask { await self.collected(as: epoch) }
      group.addTask {
        try? await clock.sleep(until: deadline, tolerance: nil)
        return nil
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      let second = await group.next() ?? nil
      return first ?? second
    }
  }

  /// The next element that the test has not taken, even if ``values`` was asked for and has collected it.
  private func collected(as epoch: UInt64) async -> Element? {
    while await subscription.upstream.waiter.waitForElement(as: epoch, isolation: nil) {
      collect()
      if let element = takeCollected() { return element }
    }
    return nil
  }

  /// Takes what is there, and keeps it for the test. It displaces no wait.
  func collect() {
    let elements = subscription.takeAll(as: arrivals.withLock { $0.epoch })
    arrivals.withLock { $0.elements += elements }
  }

  private func takeCollected() -> Element? {
    arrivals.withLock { arrivals in
      guard arrivals.taken < arrivals.elements.count else { return nil }
      arrivals.taken += 1
      return arrivals.elements[arrivals.taken - 1]
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
    return failure(
      "Expected \(expected), but \(came) within \(wait.elapsed.rounded).", at: wait.place)
  }

  func failure(_ sentence: String, at place: SourceLocation) -> ProbeFailure {
    ProbeFailure("\(name): \(sentence)", at: place, flow: logs.lazy.compactMap(\.flow).first)
  }

  /// As a recording shows it: as the element describes itself, without what is secret.
  func show(_ element: Element) -> String {
    Describer().describe(element)
  }

  func list(_ elements: [Element]) -> String {
    elements.isEmpty ? "none" : elements.map(show).joined(separator: ", ")
  }
}

extension Subscription {
  /// The number of a new consumer, which takes the place of an older one now.
  package func takeOver() -> UInt64 {
    let epoch = upstream.waiter.makeEpoch()
    _ = upstream.waiter.poll(as: epoch)
    return epoch
  }

  /// All that is there now, even if the task is cancelled, for the newest consumer, which may sleep meanwhile.
  /// It counts as taken by hand.
  package func takeAll(as epoch: UInt64) -> [Element] {
    var elements: [Element] = []
    while true {
      switch upstream.take(.evenIfCancelled, as: epoch) {
      case .element(let element): elements.append(element)
      case .skipped: continue
      case .nothing:
        if !elements.isEmpty { upstream.waiter.note(.takesByHand) }
        return elements
      }
    }
  }
}

extension Duration {
  /// In whole milliseconds below a second, else in tenths of a second.
  var rounded: String {
    let (seconds, attoseconds) = components
    let milliseconds = seconds * 1000 + (attoseconds + 500_000_000_000_000) / 1_000_000_000_000_000
    guard milliseconds >= 1000 else { return "\(milliseconds) ms" }
    let tenths = (milliseconds + 50) / 100
    return "\(tenths / 10).\(tenths % 10) s"
  }
}
