import Synchronization

/// Answering each element of a sequence with asynchronous work.
extension AsyncSequence where Self: Sendable, Element: Sendable, Failure == Never {
  /// Answers each element with asynchronous work: what a view model does with an input that takes
  /// time.
  ///
  /// ```swift
  /// public func run() async {
  ///   await _query.received.answer(.latestOnly, by: index.search) { self.hits = $0 }
  /// }
  /// ```
  ///
  /// Each element is worked on exactly once, however many listen to what is published. Work is done
  /// in child tasks of the caller's task: cancelling that cancels the work under way, and none of
  /// its answers is published any more. Elements whose work was not begun stay in the sequence for
  /// the next call, which may begin before a cancelled one has returned: of a `Subscription`, a
  /// cancelled call takes no element that was sent after `cancel()` returned.
  ///
  /// - Parameters:
  ///   - overlap: What becomes of an element that comes while an earlier one is worked on.
  ///   - busy: Is sent `true` when work begins, and `false` when no work is left whose answer
  ///     counts: just before the last answer is published, or as soon as a cancelled call runs
  ///     again, in the isolation of `publish`; never inside `cancel()`. Calls with equal inlets
  ///     report together: a cancelled call that returns while the next one works does not report
  ///     `false`. An inlet that is made with a function for each call anew is equal to no other.
  ///   - work: Makes the answer. Work that was superseded is cancelled, and nothing waits for its
  ///     end but this call's return.
  ///   - publish: Called with each answer in the isolation in which the closure was made, one at a
  ///     time.
  public func answer<Answer: Sendable>(
    _ overlap: Overlap = .oneAtATime, busy: Inlet<Bool>? = nil,
    by work: @escaping @Sendable (Element) async -> Answer,
    @_inheritActorContext publish: @escaping @isolated(any) @Sendable (Answer) -> Void
  ) async {
    let answering = Answering(busy: busy, work: work, publish: publish)
    await answering.run(self, overlap, isolation: publish.isolation)
  }
}

/// One call of `answer`: a loop that begins work, and one that publishes the answers.
private final class Answering<Element: Sendable, Answer: Sendable>: Sendable {
  private let turns: Turns
  private let work: @Sendable (Element) async -> Answer
  private let publish: @isolated(any) @Sendable (Answer) -> Void
  private let answers = Channel<(Turn, Answer)>()
  private let received: Subscription<(Turn, Answer)>

  init(
    busy: Inlet<Bool>?, work: @escaping @Sendable (Element) async -> Answer,
    publish: @escaping @isolated(any) @Sendable (Answer) -> Void
  ) {
    turns = Turns(reportingTo: busy)
    self.work = work
    self.publish = publish
    received = answers.outlet.subscribe()
  }

  /// - Parameter isolation: That of `publish`. Both loops run there, so what one of them does
  ///   between two suspensions is one step for the other.
  func run(
    _ elements: some AsyncSequence<Element, Never> & Sendable, _ overlap: Overlap,
    isolation: isolated (any Actor)?
  ) async {
    await withTaskCancellationHandler {
      await withDiscardingTaskGroup { group in
        group.addTask { await self.publishAnswers(isolation: isolation) }
        await begin(elements, overlap, isolation: isolation)
        answers.finish()
      }
    } onCancel: {
      // Immediately, since the next call may begin as soon as `cancel()` has returned. The report
      // has to wait: the code that cancels may be in any isolation, and hold any lock.
      turns.close()
    }
    turns.close()
    turns.report()
    turns.leave()
  }

  /// Returns when all work that was begun has ended.
  private func begin(
    _ elements: some AsyncSequence<Element, Never> & Sendable, _ overlap: Overlap,
    isolation: isolated (any Actor)?
  ) async {
    await withDiscardingTaskGroup { group in
      var iterator = elements.makeAsyncIterator()
      var latest: Turn?
      while !Task.isCancelled, let element = await next(of: &iterator, isolation: isolation) {
        let turn = Turn()
        turns.begin()
        if overlap == .latestOnly, let latest, latest.end() { turns.end() }
        latest = turn
        group.addTask { await self.take(turn, with: element) }
        if overlap == .oneAtATime { await turn.isOver() }
      }
    }
  }

  /// `next()` of an iterator may return an element although the task was just cancelled. That
  /// element has to be left to the next call, which consumes the same subscription.
  private func next<Iterator: AsyncIteratorProtocol<Element, Never>>(
    of iterator: inout Iterator, isolation: isolated (any Actor)?
  ) async -> Element? {
    if let iterator = iterator as? Subscription<Element>.Iterator {
      return await iterator.nextUnlessCancelled(isolation: isolation)
    }
    return await iterator.next(isolation: isolation)
  }

  /// Works on an element in a task that is cancelled when its turn is over.
  private func take(_ turn: Turn, with element: Element) async {
    await withDiscardingTaskGroup { group in
      group.addTask { [answers, work] in answers.send((turn, await work(element))) }
      await turn.isOver()
      group.cancelAll()
    }
  }

  /// One after the other, so that even without an isolation no answer is published after a newer
  /// one.
  private func publishAnswers(isolation: isolated (any Actor)?) async {
    for await (turn, answer) in received {
      guard !Task.isCancelled, turn.end() else { continue }
      turns.end()
      await publish(answer)
    }
    // A cancelled call reports now, and not only when all its work has ended.
    turns.report()
  }
}

/// The turns of one call that are neither over nor superseded.
private final class Turns: Sendable {
  private let busy: BusyReport?

  init(reportingTo busy: Inlet<Bool>?) {
    self.busy = busy.map(BusyReport.joined)
    self.busy?.open(ObjectIdentifier(self))
  }

  func begin() { busy?.change(ObjectIdentifier(self), by: 1) }

  func end() { busy?.change(ObjectIdentifier(self), by: -1) }

  /// Ends all turns, and whatever begins later, without a report.
  func close() { busy?.close(ObjectIdentifier(self)) }

  func report() { busy?.report() }

  func leave() { busy?.leave() }
}

/// What is reported to an inlet by all calls that share it: whether one of them has a turn.
private final class BusyReport: Sendable {
  private struct State {
    /// How many turns each call has, of those that are not closed.
    var turns: [ObjectIdentifier: Int] = [:]
    var isReportedBusy = false
    var isBeingReported = false

    mutating func takeReport() -> Bool? {
      guard isReportedBusy != turns.values.contains(where: { $0 > 0 }) else {
        isBeingReported = false
        return nil
      }
      isReportedBusy.toggle()
      return isReportedBusy
    }
  }

  /// By inlet, with the number of calls that share it.
  private static let all = Locked<[Inlet<Bool>: (report: BusyReport, calls: Int)]>([:])

  private let inlet: Inlet<Bool>
  private let state = Locked(State())

  private init(to inlet: Inlet<Bool>) {
    self.inlet = inlet
  }

  static func joined(_ inlet: Inlet<Bool>) -> BusyReport {
    all.withLock { all in
      all[inlet, default: (BusyReport(to: inlet), 0)].calls += 1
      return all[inlet]!.report
    }
  }

  func leave() {
    Self.all.withLock { all in
      all[inlet]?.calls -= 1
      if all[inlet]?.calls == 0 { all[inlet] = nil }
    }
  }

  func open(_ call: ObjectIdentifier) {
    state.withLock { $0.turns[call] = 0 }
  }

  func close(_ call: ObjectIdentifier) {
    state.withLock { $0.turns[call] = nil }
  }

  func change(_ call: ObjectIdentifier, by difference: Int) {
    state.withLock { $0.turns[call]? += difference }
    report()
  }

  /// One caller reports at a time, outside the lock, until what was reported last is true; the
  /// others leave it to that one. So even if turns begin and end on several threads, reports are in
  /// order.
  func report() {
    let isReportedByAnother = state.withLock { state in
      defer { state.isBeingReported = true }
      return state.isBeingReported
    }
    guard !isReportedByAnother else { return }
    while let isBusy = state.withLock({ $0.takeReport() }) { inlet.send(isBusy) }
  }
}

/// One element's turn: it ends once, answered or superseded.
private final class Turn: Sendable {
  private let isEnded = Atomic(false)
  private let over = Channel<Never>()

  /// True for the call that ends it, false for later ones.
  func end() -> Bool {
    guard !isEnded.exchange(true, ordering: .relaxed) else { return false }
    over.finish()
    return true
  }

  /// Returns when the turn has ended, or the task is cancelled.
  func isOver() async {
    for await _ in over.outlet {}
  }
}
