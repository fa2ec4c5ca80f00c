/// A listener for tests: takes what an outlet gives, one element at a time, and reports in a
/// sentence what did not come as expected.
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
/// ``withProbe(of:isolation:fileID:line:_:)-(Outlet<Element>,_,_,_,_)`` makes one that finishes itself.
///
/// Every wait has a deadline, five seconds unless another is given and a year at most, on a clock
/// that a test can choose. What is there when the deadline has passed counts as having come in
/// time, so a deadline of zero asks for what is there now.
///
/// One wait at a time: a second one takes the place of one that still waits, as with any
/// ``Subscription``, and the first fails.
public final class Probe<Element: Sendable>: Sendable {
  let subscription: Subscription<Element>

  /// Subscribes to an outlet.
  public init(_ outlet: Outlet<Element>) {
    subscription = outlet.subscribe(buffering: .unbounded)
  }

  /// Subscribes to state; the first element is the value there is now.
  public convenience init(_ state: StateOutlet<Element>) {
    self.init(state.outlet)
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

  /// For this long, nothing may come, and the outlet may not end.
  ///
  /// This waits for the whole duration. A test that can should send a marker instead and expect
  /// that, or pass a clock of its own.
  ///
  /// - Throws: ``ProbeFailure`` with what came.
  public func expectNothing(
    for duration: Duration, clock: some Clock<Duration> = ContinuousClock(),
    fileID: StaticString = #fileID, line: UInt = #line
  ) async throws(ProbeFailure) {
    let wait = Wait(duration, on: clock, at: SourcePlace(fileID: fileID, line: line))
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
    var unseen: [Element] = []
    while let element = subscription.takeNow().element { unseen.append(element) }
    guard unseen.isEmpty else {
      throw ProbeFailure(
        "Expected nothing more, but \(list(unseen)) came and nobody looked.",
        at: SourcePlace(fileID: fileID, line: line), flow: subscription.feed.waiter.flow())
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
