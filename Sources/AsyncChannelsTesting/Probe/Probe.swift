public import AsyncChannels
import AsyncChannelsRecording
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
/// It subscribes when it is made, without a bound, so it misses no element that is sent afterwards. It throws
/// ``ProbeFailure``, whose message begins with the file and line of the expectation. It works with XCTest and
/// Swift Testing, since both show the errors that a test throws. If a function of your own calls `expect` for
/// its callers, give it the parameters `fileID` and `line`, and pass them on.
///
/// The message shows elements as `Recording` does: with their descriptions, and without the contents of
/// fields and types that are named like secrets. It does not know what a recording hides by `hiding` or by
/// the channel's name: a `String` that is sent to a channel named `password` is shown. If a `Recording`
/// watches the channel, the recorded flow follows the message.
///
/// ``withProbe(of:isolation:fileID:filePath:line:_:)-(Outlet<Element>,_,_,_,_,_)`` makes one that finishes itself.
///
/// Every wait has a deadline: five seconds unless you give another, and a year at most, on a clock that you
/// can choose. An element that is there when the deadline has passed counts as having arrived in time. So a
/// deadline of zero asks for the elements that are there now. In test time
/// (``withTestTime(orders:stepLimit:fileID:line:_:)``), a deadline other than zero is ignored and not needed: a test
/// that would wait forever fails.
///
/// `waitUntilSettled()` does not wait for a probe.
///
/// A probe has one wait at a time. If a second wait begins while the first still waits, it replaces the
/// first, as with any `Subscription`, and the first fails.
public final class Probe<Element: Sendable>: Sendable {
  let subscription: Subscription<Element>
  let logs: [BroadcastLogBase]
  let name: ProbeName
  let arrivals: Locked<Arrivals>

  /// What came so far, and how much of it the test has taken.
  struct Arrivals {
    var elements: [Element] = []
    var taken = 0
    /// The number of the newest consumer of the subscription.
    var epoch: UInt64
  }

  /// Subscribes to an outlet.
  ///
  /// - Parameters:
  ///   - outlet: The outlet to listen to.
  ///   - name: The outlet's name in messages. If nil, it is the expression in the source, or the type of the
  ///     elements if the source cannot be read.
  ///   - filePath: The file of the call. Do not pass it.
  ///   - line: The line of the call. Do not pass it.
  public convenience init(
    _ outlet: Outlet<Element>, as name: String? = nil, filePath: StaticString = #filePath,
    line: UInt = #line
  ) {
    self.init(outlet, ProbeName(given: name, filePath: filePath, line: line, type: Element.self))
  }

  /// Subscribes to state. The first element is the current value.
  ///
  /// Of state that its owner writes, it gets each change. Of derived state, it gets the newest value when it is asked, and,
  /// if it was made in test time, after each job.
  public convenience init(
    _ state: StateOutlet<Element>, as name: String? = nil, filePath: StaticString = #filePath,
    line: UInt = #line
  ) {
    self.init(state.outlet, as: name, filePath: filePath, line: line)
  }

  init(_ outlet: Outlet<Element>, _ name: ProbeName) {
    self.name = name
    logs = outlet.logs
    subscription = outlet.subscribe(buffering: .unbounded)
    Onlookers.add(subscription.upstream.waiter)
    arrivals = Locked(Arrivals(epoch: subscription.takeOver()))
    if case .derived = subscription.upstream {
      collect()
      TestJobs.current?.doAfterEachJob { [weak self] in self?.collect() }
    }
  }

  deinit {
    Onlookers.remove(subscription.upstream.waiter)
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
  /// - Throws: ``ProbeFailure`` if none has arrived within the deadline, or the outlet has ended.
  @discardableResult
  public func next(
    within limit: Duration = .seconds(5), clock: some Clock<Duration> = ContinuousClock(),
    fileID: StaticString = #fileID, line: UInt = #line
  ) async throws(ProbeFailure) -> Element {
    try await next(
      expecting: "an element",
      Wait(limit, on: clock, at: SourceLocation(fileID: fileID, line: line)))
  }

  /// The next element that satisfies a condition; those before it are skipped.
  ///
  /// - Throws: ``ProbeFailure``, with the skipped elements, if none has arrived within the deadline.
  @discardableResult
  public func next(
    where isWanted: (Element) -> Bool, within limit: Duration = .seconds(5),
    clock: some Clock<Duration> = ContinuousClock(),
    fileID: StaticString = #fileID, line: UInt = #line
  ) async throws(ProbeFailure) -> Element {
    let wait = Wait(limit, on: clock, at: SourceLocation(fileID: fileID, line: line))
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
  /// - Throws: ``ProbeFailure``, with the elements that arrived, if there are fewer.
  @discardableResult
  public func next(
    _ count: Int, within limit: Duration = .seconds(5),
    clock: some Clock<Duration> = ContinuousClock(),
    fileID: StaticString = #fileID, line: UInt = #line
  ) async throws(ProbeFailure) -> [Element] {
    if count < 0 {
      Misuse.trap(
        "A probe of \(Element.self) cannot wait for \(count) elements: the count is at least 0.")
    }
    let wait = Wait(limit, on: clock, at: SourceLocation(fileID: fileID, line: line))
    var elements: [Element] = []
    while elements.count < count {
      elements.append(
        try await next(expecting: "\(count) elements, after \(list(elements))", wait))
    }
    return elements
  }

  /// Expects that no element is there that the test has not taken, and that the outlet has not ended.
  ///
  /// In test time it checks when no task has anything left to do. Otherwise it checks now.
  ///
  /// - Throws: ``ProbeFailure`` with the elements that arrived.
  public func expectNothing(
    fileID: StaticString = #fileID, line: UInt = #line
  ) async throws(ProbeFailure) {
    await TestTime.current?.idle()
    try await expectNothing(
      Wait(.zero, on: ContinuousClock(), at: SourceLocation(fileID: fileID, line: line)))
  }

  /// Expects that for this long no element arrives, and the outlet does not end.
  ///
  /// In test time it moves the time by this duration. Otherwise it waits for the whole duration.
  ///
  /// - Throws: ``ProbeFailure`` with the elements that arrived.
  public func expectNothing(
    for duration: Duration, clock: some Clock<Duration> = ContinuousClock(),
    fileID: StaticString = #fileID, line: UInt = #line
  ) async throws(ProbeFailure) {
    let place = SourceLocation(fileID: fileID, line: line)
    guard let time = TestTime.current else {
      return try await expectNothing(Wait(duration, on: clock, at: place))
    }
    let wait = Wait(.zero, on: clock, at: place)
    await time.advance(by: duration)
    try await expectNothing(wait)
  }

  private func expectNothing(_ wait: Wait<some Clock<Duration>>) async throws(ProbeFailure) {
    let arrival = await arrival(wait)
    if case .nothing = arrival { return }
    throw failure(expecting: "nothing", arrival, wait)
  }

  /// Expects that the outlet ends, and that no element arrives before.
  ///
  /// - Throws: ``ProbeFailure``, with the elements that arrived, or if the outlet has not ended within the
  ///   deadline.
  public func expectFinished(
    within limit: Duration = .seconds(5), clock: some Clock<Duration> = ContinuousClock(),
    fileID: StaticString = #fileID, line: UInt = #line
  ) async throws(ProbeFailure) {
    let wait = Wait(limit, on: clock, at: SourceLocation(fileID: fileID, line: line))
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
        "Expected nothing more, but the test left \(list(unseen)) unchecked.",
        at: SourceLocation(fileID: fileID, line: line))
    }
  }
}

extension Probe where Element: Equatable {
  /// Expects that the next element equals this one.
  ///
  /// - Throws: ``ProbeFailure`` if another element arrives, or none within the deadline.
  public func expect(
    _ expected: Element, within limit: Duration = .seconds(5),
    clock: some Clock<Duration> = ContinuousClock(),
    fileID: StaticString = #fileID, line: UInt = #line
  ) async throws(ProbeFailure) {
    let wait = Wait(limit, on: clock, at: SourceLocation(fileID: fileID, line: line))
    let arrival = await arrival(wait)
    try check(expected, arrival, wait)
  }

  /// Expects that the next element is the last one that the test has taken with a change, and no other difference.
  ///
  /// ```swift
  /// try await state.expect { $0.isLoading = false; $0.items = ["Swift"] }
  /// ```
  ///
  /// The closure changes the last element that the test has taken.
  ///
  /// - Throws: ``ProbeFailure`` if another element arrives, or none within the deadline; if the test has taken no
  ///   element before; if the change changes nothing.
  public func expect(
    within limit: Duration = .seconds(5), clock: some Clock<Duration> = ContinuousClock(),
    fileID: StaticString = #fileID, line: UInt = #line, _ change: (inout Element) -> Void
  ) async throws(ProbeFailure) {
    let place = SourceLocation(fileID: fileID, line: line)
    let wait = Wait(limit, on: clock, at: place)
    guard let last = arrivals.withLock({ $0.taken > 0 ? $0.elements[$0.taken - 1] : nil }) else {
      throw failure(
        "A change was expected before there was an element to change: take the first one, with next() or expect(_:).",
        at: place)
    }
    var expected = last
    change(&expected)
    if expected == last {
      throw failure("The expected change of \(show(last)) changes nothing.", at: place)
    }
    try check(expected, await arrival(wait), wait)
  }

  private func check(
    _ expected: Element, _ arrival: Arrival, _ wait: Wait<some Clock<Duration>>
  ) throws(ProbeFailure) {
    guard case .element(let came) = arrival else {
      throw failure(expecting: show(expected), arrival, wait)
    }
    if came == expected { return }
    guard let difference = ValueDifference(expected: expected, came: came) else {
      throw failure(expecting: show(expected), arrival, wait)
    }
    throw failure(
      """
      Another \(Element.self) came than expected, within \(wait.elapsed.rounded). − is expected, + came:
      \(difference.text)
      """, at: wait.place)
  }
}
