import Synchronization

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
  /// Each element is worked on exactly once, however many listen to what is published. Work happens
  /// in child tasks of the caller's: cancelling that task cancels what is in flight, and nothing of
  /// it is published any more. Elements that were not begun stay in the sequence, for the next
  /// call, which may begin before a cancelled one has unwound.
  ///
  /// - Parameters:
  ///   - overlap: What becomes of an element that comes while an earlier one is worked on.
  ///   - busy: Is sent `true` when work begins and `false` when none is left whose answer counts:
  ///     just before the last answer is published, or when the call is cancelled.
  ///   - work: Makes the answer. Work that was superseded is cancelled; it may take its time to
  ///     end.
  ///   - publish: Called with each answer in the isolation in which it was made, one at a time.
  public func answer<Answer: Sendable>(
    _ overlap: Overlap = .oneAtATime, busy: Inlet<Bool>? = nil,
    by work: @escaping @Sendable (Element) async -> Answer,
    @_inheritActorContext publish: @escaping @isolated(any) @Sendable (Answer) -> Void
  ) async {
    let answering = Answering(busy: busy, work: work, publish: publish)
    await answering.run(self, overlap, isolation: publish.isolation)
  }
}

/// One call of `answer`: a loop that begins work, and one that publishes what comes of it.
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
    turns = Turns(busy: busy)
    self.work = work
    self.publish = publish
    received = answers.outlet.subscribe()
  }

  /// - Parameter isolation: That of `publish`. Both loops run there, and so what one does between
  ///   two suspensions is one step for the other.
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
      // At once, and not when all has unwound: another call may have begun by then.
      turns.endAll()
    }
    turns.endAll()
  }

  /// Returns when all that was begun has ended.
  private func begin(
    _ elements: some AsyncSequence<Element, Never> & Sendable, _ overlap: Overlap,
    isolation: isolated (any Actor)?
  ) async {
    await withDiscardingTaskGroup { group in
      var iterator = elements.makeAsyncIterator()
      var latest: Turn?
      while !Task.isCancelled, let element = await iterator.next(isolation: isolation) {
        let turn = Turn()
        turns.begin()
        if overlap == .latestOnly, let latest, latest.end() { turns.end() }
        latest = turn
        group.addTask { await self.take(turn, with: element) }
        if overlap == .oneAtATime { await turn.isOver() }
      }
    }
  }

  /// Works on an element in a task that is cancelled when its turn is over.
  private func take(_ turn: Turn, with element: Element) async {
    await withDiscardingTaskGroup { group in
      group.addTask { [answers, work] in answers.send((turn, await work(element))) }
      await turn.isOver()
      group.cancelAll()
    }
  }

  /// One after the other. So even where there is no isolation, an answer that was still counted
  /// cannot be published after a newer one.
  private func publishAnswers(isolation: isolated (any Actor)?) async {
    for await (turn, answer) in received {
      guard !Task.isCancelled, turn.end() else { continue }
      turns.end()
      await publish(answer)
    }
  }
}

/// How many turns are neither over nor superseded, and who is to know whether there are any.
private final class Turns: Sendable {
  private struct State {
    var count = 0
    var isSaidToBeBusy = false
    var isBeingSaid = false

    mutating func takeWhatIsToBeSaid() -> Bool? {
      guard isSaidToBeBusy != (count > 0) else {
        isBeingSaid = false
        return nil
      }
      isSaidToBeBusy.toggle()
      return isSaidToBeBusy
    }
  }

  private let busy: Inlet<Bool>?
  private let state = Locked(State())

  init(busy: Inlet<Bool>?) {
    self.busy = busy
  }

  func begin() { change { $0 += 1 } }

  func end() { change { $0 = max(0, $0 - 1) } }

  func endAll() { change { $0 = 0 } }

  /// Whoever finds nobody saying it does so, outside the lock, until what was said last is true. So
  /// even where turns begin and end on several threads it is said in order.
  private func change(_ change: (inout Int) -> Void) {
    let isSaidByAnother = state.withLock { state in
      change(&state.count)
      defer { state.isBeingSaid = true }
      return state.isBeingSaid
    }
    guard !isSaidByAnother else { return }
    while let isBusy = state.withLock({ $0.takeWhatIsToBeSaid() }) { busy?.send(isBusy) }
  }
}

/// One element's turn: it ends once, answered or superseded.
private final class Turn: Sendable {
  private let isEnded = Atomic(false)
  private let over = Channel<Never>()

  /// True for whoever ends it, false for those who come too late.
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
