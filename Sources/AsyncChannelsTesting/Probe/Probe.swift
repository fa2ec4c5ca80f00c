public import AsyncChannels
import Synchronization

/// A listener for tests. It collects the elements of an outlet, and fails with a readable message if one is
/// missing, wrong or left unchecked.
///
/// ```swift
/// @MainActor
/// func test_signingInGivesAToken() async throws {
///   let viewModel = AuthViewModel(authenticator: StubAuthenticator())
///   let results = Probe(viewModel.signInResult)
///   try await withRunning(viewModel) {
///     viewModel.signIn.send(credentials)
///     try await results.expect(.success(Token("abc")))
///     try results.finish()
///   }
/// }
/// ```
///
/// It subscribes when it is made, without a bound, so nothing sent after that is missed. It throws
/// ``ProbeFailure``, whose sentence begins with the file and line of the expectation, and knows no
/// test framework: both XCTest and Swift Testing show what a test throws. A function of a test's own
/// that expects on behalf of its callers takes `fileID` and `line` as these do, and hands them on.
///
/// The sentence shows elements as `Recording` does: as they describe themselves, without what is in
/// fields and types that are named like secrets. It does not know what a recording hides by `hiding` or
/// by the channel's name: a `String` sent to a channel named `password` is shown. If a `Recording`
/// watches the channel, the flow that it has recorded stands below the sentence.
///
/// ``withProbe(of:isolation:fileID:filePath:line:_:)-(Outlet<Element>,_,_,_,_,_)`` makes one that finishes itself.
///
/// Every wait has a deadline, five seconds unless another is given and a year at most, on a clock
/// that a test can choose. What is there when the deadline has passed counts as having come in
/// time, so a deadline of zero asks for what is there now. In test time
/// (``withTestTime(orders:fileID:line:_:)``) a wait has no other deadline than zero, and none is needed: a test
/// that would wait for ever fails.
///
/// `settled()` does not wait for a probe.
///
/// A probe waits once at a time. A second wait takes the place of one that still waits, as with any
/// `Subscription`, and the first fails.
public final class Probe<Element: Sendable>: Sendable {
  let subscription: Subscription<Element>
  let name: ProbeName
  let arrivals: Locked<Arrivals>

  /// What came so far, and how much of it the test has taken.
  struct Arrivals {
    var elements: [Element] = []
    var taken = 0
    /// The number of the newest consumer of the subscription.
    var ticket: UInt64
  }

  /// Subscribes to an outlet.
  ///
  /// - Parameters:
  ///   - outlet: What it listens to.
  ///   - name: What its sentences call the outlet; if nil, they call it what the source calls it, or, where the source
  ///     cannot be read, by the type of its elements.
  ///   - filePath: Where the source is.
  ///   - line: Likewise.
  public convenience init(
    _ outlet: Outlet<Element>, as name: String? = nil, filePath: StaticString = #filePath,
    line: UInt = #line
  ) {
    self.init(outlet, ProbeName(given: name, filePath: filePath, line: line, type: Element.self))
  }

  /// Subscribes to state; the first element is the value there is now.
  public convenience init(
    _ state: StateOutlet<Element>, as name: String? = nil, filePath: StaticString = #filePath,
    line: UInt = #line
  ) {
    self.init(state.outlet, as: name, filePath: filePath, line: line)
  }

  init(_ outlet: Outlet<Element>, _ name: ProbeName) {
    self.name = name
    subscription = outlet.subscribe(buffering: .unbounded)
    subscription.becomeOnlooker()
    arrivals = Locked(Arrivals(ticket: subscription.takeOver()))
  }

  /// All elements that have arrived since the probe was made, taken or not.
  ///
  /// Reading it takes nothing: ``next(within:clock:fileID:line:)`` still gives the elements that the test has not
  /// taken. The probe keeps all elements until it is dropped.
  public var values: [Element] {
    collect()
    return arrivals.withLock { $0.elements }
  }

  /// The next element.
  ///
  /// - Throws: ``ProbeFailure`` if none has come within the deadline, or the outlet has ended.
  @discardableResult
  public func next(
    within limit: Duration = .seconds(5), clock: some Clock<Duration> = ContinuousClock(),
    fileID: StaticString = #fileID, line: UInt = #line
  ) async throws(ProbeFailure) -> Element {
    try await next(
      expecting: "an element", Wait(limit, on: clock, at: SourcePlace(fileID: fileID, line: line)))
  }

  /// The next element that satisfies a condition; those before it are skipped.
  ///
  /// - Throws: ``ProbeFailure``, with what was skipped, if none has come within the deadline.
  @discardableResult
  public func next(
    where isWanted: (Element) -> Bool, within limit: Duration = .seconds(5),
    clock: some Clock<Duration> = ContinuousClock(),
    fileID: StaticString = #fileID, line: UInt = #line
  ) async throws(ProbeFailure) -> Element {
    let wait = Wait(limit, on: clock, at: SourcePlace(fileID: fileID, line: line))
    var skipped: [Element] = []
    while true {
      let element = try await next(
        expecting: "an element that satisfies the condition, after \(list(skipped))", wait)
      if isWanted(element) { return element }
      skipped.append(element)
    }
  }

  /// The next `count` elements, all within one deadline.
  ///
  /// - Throws: ``ProbeFailure``, with those that came, if they are fewer.
  @discardableResult
  public func next(
    _ count: Int, within limit: Duration = .seconds(5),
    clock: some Clock<Duration> = ContinuousClock(),
    fileID: StaticString = #fileID, line: UInt = #line
  ) async throws(ProbeFailure) -> [Element] {
    if count < 0 {
      Diagnostics.programmerError(
        "A probe of \(Element.self) cannot wait for \(count) elements: the count is at least 0.")
    }
    let wait = Wait(limit, on: clock, at: SourcePlace(fileID: fileID, line: line))
    var elements: [Element] = []
    while elements.count < count {
      elements.append(
        try await next(expecting: "\(count) elements, after \(list(elements))", wait))
    }
    return elements
  }

  /// Nothing is there that the test has not taken, and the outlet has not ended.
  ///
  /// In test time it looks when nobody has anything left to do, so nothing more can come by itself; else it looks now.
  ///
  /// - Throws: ``ProbeFailure`` with what came.
  public func expectNothing(
    fileID: StaticString = #fileID, line: UInt = #line
  ) async throws(ProbeFailure) {
    await TestTime.current?.idle()
    try await expectNothing(
      Wait(.zero, on: ContinuousClock(), at: SourcePlace(fileID: fileID, line: line)))
  }

  /// For this long, nothing may come, and the outlet may not end.
  ///
  /// In test time it lets so much of that time pass. Else it waits for the whole duration.
  ///
  /// - Throws: ``ProbeFailure`` with what came.
  public func expectNothing(
    for duration: Duration, clock: some Clock<Duration> = ContinuousClock(),
    fileID: StaticString = #fileID, line: UInt = #line
  ) async throws(ProbeFailure) {
    let place = SourcePlace(fileID: fileID, line: line)
    guard let time = TestTime.current else {
      return try await expectNothing(Wait(duration, on: clock, at: place))
    }
    let wait = Wait(.zero, on: time.clock, at: place)
    await time.advance(by: duration)
    try await expectNothing(wait)
  }

  private func expectNothing(_ wait: Wait<some Clock<Duration>>) async throws(ProbeFailure) {
    let arrival = await arrival(wait)
    if case .nothing = arrival { return }
    throw failure(expecting: "nothing", arrival, wait)
  }

  /// The outlet ends, and nothing comes before.
  ///
  /// - Throws: ``ProbeFailure`` with what came, or if the end has not come within the deadline.
  public func expectFinished(
    within limit: Duration = .seconds(5), clock: some Clock<Duration> = ContinuousClock(),
    fileID: StaticString = #fileID, line: UInt = #line
  ) async throws(ProbeFailure) {
    let wait = Wait(limit, on: clock, at: SourcePlace(fileID: fileID, line: line))
    let arrival = await arrival(wait)
    if case .end = arrival { return }
    throw failure(expecting: "the end", arrival, wait)
  }

  /// Ends the test of this outlet: no element may be left that the test has not taken.
  ///
  /// - Throws: ``ProbeFailure`` with the elements that are left.
  public func finish(
    fileID: StaticString = #fileID, line: UInt = #line
  ) throws(ProbeFailure) {
    collect()
    let unseen = arrivals.withLock { arrivals in
      let unseen = Array(arrivals.elements[arrivals.taken...])
      arrivals.taken = arrivals.elements.count
      return unseen
    }
    guard unseen.isEmpty else {
      throw failure(
        "Expected nothing more, but \(list(unseen)) came and nobody looked.",
        at: SourcePlace(fileID: fileID, line: line))
    }
  }
}

extension Probe where Element: Equatable {
  /// The next element, which must equal this one.
  ///
  /// - Throws: ``ProbeFailure`` if another comes, or none within the deadline.
  public func expect(
    _ expected: Element, within limit: Duration = .seconds(5),
    clock: some Clock<Duration> = ContinuousClock(),
    fileID: StaticString = #fileID, line: UInt = #line
  ) async throws(ProbeFailure) {
    let wait = Wait(limit, on: clock, at: SourcePlace(fileID: fileID, line: line))
    let arrival = await arrival(wait)
    if case .element(expected) = arrival { return }
    throw failure(expecting: show(expected), arrival, wait)
  }
}
