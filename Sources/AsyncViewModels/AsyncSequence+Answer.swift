public import AsyncChannels
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
  /// call.
  ///
  /// - Parameters:
  ///   - overlap: What becomes of an element that comes while an earlier one is worked on.
  ///   - busy: Is sent `true` when work begins and `false` when none is left whose answer counts,
  ///     just before the last answer is published, or when the call ends.
  ///   - work: Makes the answer. Work that was superseded is cancelled; it may take its time to
  ///     end.
  ///   - publish: Called with each answer in the isolation in which it was made, one at a time.
  ///     Whether an answer still counts is decided there, in one step with the call.
  public func answer<Answer: Sendable>(
    _ overlap: Overlap = .oneAtATime, busy: Inlet<Bool>? = nil,
    by work: @escaping @Sendable (Element) async -> Answer,
    @_inheritActorContext publish: @escaping @isolated(any) @Sendable (Answer) -> Void
  ) async {
    let answering = Answering(busy: busy, work: work, publish: publish)
    await answering.run(self, overlap, isolation: publish.isolation)
  }
}

/// One call of `answer`. Its methods run in the isolation of `publish`.
private final class Answering<Element: Sendable, Answer: Sendable>: Sendable {
  private let busy: Inlet<Bool>?
  private let work: @Sendable (Element) async -> Answer
  private let publish: @isolated(any) @Sendable (Answer) -> Void
  /// How many turns are neither over nor superseded.
  private let turns = Atomic(0)

  init(
    busy: Inlet<Bool>?, work: @escaping @Sendable (Element) async -> Answer,
    publish: @escaping @isolated(any) @Sendable (Answer) -> Void
  ) {
    self.busy = busy
    self.work = work
    self.publish = publish
  }

  func run(
    _ elements: some AsyncSequence<Element, Never> & Sendable, _ overlap: Overlap,
    isolation: isolated (any Actor)?
  ) async {
    await withDiscardingTaskGroup { group in
      var latest: Turn?
      for await element in elements {
        let turn = Turn()
        begin()
        switch overlap {
        case .oneAtATime:
          await take(turn, with: element, isolation: isolation)
        case .latestOnly:
          if let latest, latest.end() { end() }
          latest = turn
          group.addTask {
            await self.takeUnlessSuperseded(turn, with: element, isolation: isolation)
          }
        case .concurrent:
          group.addTask { await self.take(turn, with: element, isolation: isolation) }
        }
      }
    }
    // What was cancelled has not said that it is over.
    if turns.exchange(0, ordering: .relaxed) > 0 { busy?.send(false) }
  }

  private func take(_ turn: Turn, with element: Element, isolation: isolated (any Actor)?) async {
    let answer = await work(element)
    // From here to `publish` nothing else runs in this isolation, so nothing can supersede the
    // turn in between.
    guard !Task.isCancelled, turn.end() else { return }
    end()
    await publish(answer)
  }

  /// Takes a turn in a task that is cancelled when the turn is superseded.
  private func takeUnlessSuperseded(
    _ turn: Turn, with element: Element, isolation: isolated (any Actor)?
  ) async {
    await withDiscardingTaskGroup { group in
      group.addTask { await self.take(turn, with: element, isolation: isolation) }
      await turn.isOver()
      group.cancelAll()
    }
  }

  private func begin() {
    if turns.add(1, ordering: .relaxed).oldValue == 0 { busy?.send(true) }
  }

  private func end() {
    if turns.subtract(1, ordering: .relaxed).newValue == 0 { busy?.send(false) }
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

  /// Returns when the turn has ended.
  func isOver() async {
    for await _ in over.outlet {}
  }
}
