import AsyncChannelsRunning
import AsyncChannelsTesting
import Proof

/// The steps of a history, done with the library in test time.
@MainActor
final class LibraryRun {
  private let setup: Setup
  private let time: TestTime
  private let input = Input<Int>()
  private let record: Record
  private var sent = 0
  private var active: Task<Void, Never>?

  init(_ setup: Setup, in time: TestTime) {
    self.setup = setup
    self.time = time
    record = Record(setup)
  }

  /// Ends the work on an element.
  func end(_ number: Int) { record.complete(number) }

  /// Returns what was seen as soon as a call was cancelled, and what is seen when all jobs have run.
  func apply(_ step: Step) async -> (atCancel: Observation, Observation) {
    var atCancel = Observation()
    switch step {
    case .send(let count): send(count)
    case .run: run()
    case .complete(let number): record.complete(number)
    case .advance(let units): await time.advance(by: .milliseconds(units))
    case .cancel(let count, let turns, let thenRun):
      send(count)
      for _ in 0..<turns { await Task.yield() }
      active?.cancel()
      active = nil
      atCancel = observation
      if thenRun { run() }
    case .finish: input.finish()
    }
    await time.idle()
    var after = observation
    record.withLock { $0.seen.events = [] }
    if setup.mayAnswerTogether { after.sortAnswers() }
    return (atCancel, after)
  }

  private var observation: Observation {
    record.withLock { state in
      state.seen.begun.sort()
      state.seen.underWay = state.works.mapValues(\.isCancelled)
      state.seen.pending = input.received.pendingCount
      return state.seen
    }
  }

  private func send(_ count: Int) {
    for _ in 0..<count { if case .sent = input.inlet.send(sent) { sent += 1 } }
  }

  private func run() {
    guard active == nil else { return }
    active = Task {
      if setup.isIsolated { await call() } else { await callElsewhere() }
      record.withLock { $0.seen.returnedCalls += 1 }
      if !Task.isCancelled { active = nil }
    }
  }

  private func call() async {
    let record = record
    await answer(input.received, setup, made, by: record.attempt(on:)) {
      record.note(.abandoned($0))
    } publish: { number, _ in
      record.note(.published(number))
    }
  }

  @concurrent
  nonisolated private func callElsewhere() async {
    let record = record
    await answer(input.received, setup, await made, by: record.attempt(on:)) {
      record.note(.abandoned($0))
    } publish: { number, _ in
      record.note(.published(number))
    }
  }

  fileprivate struct Made: Sendable {
    let clock: TestClock
    let retry = Retry.exponential(from: .microseconds(2_500), upTo: .seconds(1), attempts: 2)
    let busy: Inlet<Bool>?
    let ignored: Inlet<Int>?
  }

  private lazy var made: Made = {
    let record = record
    return Made(
      clock: time.clock,
      busy: setup.reportsBusy ? Inlet { record.note(.busy($0)) } : nil,
      ignored: setup.tellsIgnored ? Inlet { record.note(.ignored($0)) } : nil)
  }()
}

/// What was seen, and work that waits until it is told to end.
final class Record: Sendable {
  struct Work {
    var isCancelled = false
    var continuation: CheckedContinuation<Void, Never>?
  }

  struct State {
    var seen = Observation()
    var works: [Int: Work] = [:]
    var failed: Set<Int> = []
  }

  private let setup: Setup
  private let state = Monitor(State())

  init(_ setup: Setup) {
    self.setup = setup
  }

  func withLock<Result>(_ body: (inout State) -> Result) -> Result {
    state.withLock(body)
  }

  func note(_ event: Event) {
    withLock { state in
      state.seen.events.append(event)
      if case .busy(let isBusy) = event { state.seen.isBusy = isBusy }
    }
  }

  /// The first fails, if the element's work does.
  func attempt(on element: Int) async throws(Failed) -> Int {
    if setup.fails(element), withLock({ $0.failed.insert(element).inserted }) {
      withLock { $0.seen.begun.append(element) }
      throw Failed(element: element)
    }
    return await work(on: element)
  }

  func work(on element: Int) async -> Int {
    withLock { $0.seen.begun.append(element) }
    if setup.kind(of: element) == .isImmediate { return element }
    withLock { $0.works[element] = Work() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = withLock { state in
          if state.works[element] == nil { return true }
          state.works[element]?.continuation = continuation
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      if setup.kind(of: element) == .endsWhenCancelled { return complete(element) }
      withLock { $0.works[element]?.isCancelled = true }
    }
    return element
  }

  func complete(_ element: Int) {
    withLock { $0.works.removeValue(forKey: element)?.continuation }?.resume()
  }
}

struct Failed: Error {
  let element: Int
}

/// - Parameter publish: Has the isolation of the call.
private func answer(
  _ received: Subscription<Int>, _ setup: Setup, _ made: LibraryRun.Made,
  by work: @escaping @Sendable (Int) async throws(Failed) -> Int,
  @_inheritActorContext abandoned: @escaping @isolated(any) @Sendable (Int) -> Void,
  @_inheritActorContext publish:
    @escaping @isolated(any) @Sendable (Int, Result<Int, Failed>) -> Void
) async {
  let key: @Sendable (Int) -> Int = { setup.key(of: $0) ?? 0 }
  let overlap: OverlapRule<Int> =
    switch (setup.overlap, setup.keyed) {
    case (.concurrent, _) where setup.limit < .max: .concurrent(atMost: setup.limit)
    case (let overlap?, _): OverlapRule(overlap)
    case (nil, .latestOnly): .latestOnly(by: key, atMost: setup.limit)
    case (nil, .firstOnly): .firstOnly(by: key, atMost: setup.limit)
    case (nil, .oneAtATime): .oneAtATime(by: key, atMost: setup.limit)
    case (nil, _): .each { setup.overlap(of: $0) }
    }
  await received.answer(
    overlap,
    debounce: setup.pause.map { pause in
      setup.hasOwnPauses
        ? .by { .milliseconds(setup.pause(after: $0) ?? 0) } : .milliseconds(Double(pause))
    }, clock: made.clock, busy: made.busy, busyFromArrival: setup.busyFromArrival,
    ignored: made.ignored, retry: setup.retries ? made.retry : nil, by: work,
    abandoned: setup.tellsAbandoned ? abandoned : nil, publish: publish)
}
