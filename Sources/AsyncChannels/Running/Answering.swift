import Synchronization

/// One call of `answer`: a loop that takes elements and begins work on them.
///
/// One at a time, the loop works itself. Otherwise each element has a task, and the loop goes on to
/// the next element. Decisions about elements are made in the isolation of `publish`, where nothing else
/// runs between two suspensions. If `publish` has no isolation, each decision is one atomic operation, or
/// is made under a lock.
final class Answering<Element: Sendable, Answer: Sendable>: Sendable {
  private let overlap: Overlap
  private let pause: Pause?
  private let turns: Turns
  private let ignored: Inlet<Element>?
  private let work: @Sendable (Element) async -> Answer
  private let publish: @isolated(any) @Sendable (Answer) -> Void
  /// Whether the caller's task was cancelled. The task that publishes may be another's, or superseded.
  private let isClosed = Atomic(false)
  private let answers = Locked(OneByOne<(Turn, Answer)>())
  /// The newest work of `.latestOnly`, which is not a child task: a newer element has to cancel it
  /// alone, and a child that can be cancelled alone needs a group, and a task more, for itself.
  private let latestTask = Locked<Task<Void, Never>?>(nil)

  init(
    _ overlap: Overlap, after pause: Pause?, busy: Inlet<Bool>?, ignored: Inlet<Element>?,
    work: @escaping @Sendable (Element) async -> Answer,
    publish: @escaping @isolated(any) @Sendable (Answer) -> Void
  ) {
    self.overlap = overlap
    self.pause = pause
    turns = Turns(reportingTo: busy)
    self.ignored = ignored
    self.work = work
    self.publish = publish
  }

  /// - Parameter isolation: That of `publish`.
  func run(
    _ elements: some AsyncSequence<Element, Never> & Sendable, isolation: isolated (any Actor)?
  ) async {
    await withTaskCancellationHandler {
      await withDiscardingTaskGroup { group in
        let end = Channel<Never>()
        // The loop reports that the call was cancelled, unless it is in the midst of work, which may
        // take its time.
        if overlap == .oneAtATime, turns.areReported {
          let outlet = end.outlet
          group.addTask { await self.report(afterEndOf: outlet, isolation: isolation) }
        }
        defer { end.finish() }
        let iterator = elements.makeAsyncIterator()
        guard let own = iterator as? Subscription<Element>.Iterator else {
          await answerEach(of: iterator, in: &group, isolation: isolation)
          return
        }
        // In the isolation of `publish`, nothing is taken by two tasks at once.
        let consumer = Consumer(
          own, pausing: pause, isShared: overlap == .firstOnly && isolation == nil)
        if overlap == .oneAtATime, !turns.areReported {
          // Only the answer has something to do in the isolation.
          await workOnEach(of: consumer, isolation: nil)
        } else {
          await answerEach(of: consumer, consumer, in: &group, isolation: isolation)
        }
      }
    } onCancel: {
      // Immediately, since the next call may begin as soon as `cancel()` has returned. The report
      // has to wait: the code that cancels may be in any isolation, and hold any lock.
      isClosed.store(true, ordering: .releasing)
      turns.close()
      latestTask.withLock { $0 }?.cancel()
    }
    turns.close()
    turns.report()
    turns.leave()
  }

  /// Returns at the end of the elements, or when the task is cancelled.
  ///
  /// - Parameter consumer: The same as `elements`, if that is a subscription's.
  @inline(__always)
  private func answerEach(
    of elements: some AsyncIteratorProtocol<Element, Never>, _ consumer: Consumer<Element>? = nil,
    in group: inout DiscardingTaskGroup, isolation: isolated (any Actor)?
  ) async {
    if overlap == .oneAtATime {
      await workOnEach(of: elements, isolation: isolation)
    } else {
      await beginEach(of: elements, consumer, in: &group, isolation: isolation)
    }
    // A cancelled call reports now, without waiting until all work has ended.
    turns.report()
    await latestTask.withLock { $0 }?.value
  }

  /// One after the other, in the caller's task.
  @inline(__always)
  private func workOnEach(
    of elements: some AsyncIteratorProtocol<Element, Never>, isolation: isolated (any Actor)?
  ) async {
    var elements = elements
    while !Task.isCancelled, let element = await elements.next(isolation: isolation) {
      turns.begin()
      let answer = await workElsewhere(on: element)
      if isolation == nil {
        await publish(answer, isolation: publish.isolation)
      } else if !Task.isCancelled {
        // Here rather than by another async call.
        turns.end()
        await publish(answer)
      }
    }
  }

  /// Each in a task of its own.
  @inline(__always)
  private func beginEach(
    of elements: some AsyncIteratorProtocol<Element, Never>, _ consumer: Consumer<Element>?,
    in group: inout DiscardingTaskGroup, isolation: isolated (any Actor)?
  ) async {
    var elements = elements
    var last: Turn?
    while !Task.isCancelled, let element = await elements.next(isolation: isolation) {
      if overlap == .firstOnly, last?.isOver == false {
        ignore(element)
      } else {
        last = begin(element, consumer, after: last, in: &group, isolation: isolation)
      }
    }
  }

  /// Looks at the cancellation in the isolation, where a caller of `cancel()` may be: after that has
  /// returned, nothing is published.
  private func publish(_ answer: Answer, isolation: isolated (any Actor)?) async {
    guard !Task.isCancelled else { return }
    turns.end()
    await publish(answer)
  }

  /// Away from the isolation of the caller, which would be blocked by work that computes.
  @concurrent
  private func workElsewhere(on element: Element) async -> Answer {
    await work(element)
  }

  /// Begins work on an element in a task of its own.
  private func begin(
    _ element: Element, _ consumer: Consumer<Element>?, after last: Turn?,
    in group: inout DiscardingTaskGroup, isolation: isolated (any Actor)?
  ) -> Turn {
    let turn = Turn()
    turns.begin()
    guard overlap == .latestOnly else {
      // In the isolation, a task that begins immediately saves one hop: its work is elsewhere.
      if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *), isolation != nil {
        group.addImmediateTask {
          await self.take(turn, with: element, consumer, isolation: isolation)
        }
      } else {
        group.addTask { await self.take(turn, with: element, consumer, isolation: nil) }
      }
      return turn
    }
    if let last, last.end() {
      Causes.note(of: last.origins) { .superseded($0) }
      turns.end()
    }
    let task: Task<Void, Never>
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *), isolation != nil {
      task = Task.immediate {
        await self.take(turn, with: element, consumer, isolation: isolation)
      }
    } else {
      task = Task { await self.take(turn, with: element, consumer, isolation: nil) }
    }
    let superseded = latestTask.withLock { exchange(&$0, with: task) }
    // The lock orders this look after the handler of the cancellation, or that after this task.
    if Task.isCancelled { task.cancel() }
    if let last, let superseded, !last.isDone.load(ordering: .relaxed) {
      superseded.cancel()
      group.addTask { await superseded.value }
    }
    return turn
  }

  /// Runs in the element's task, which is in the isolation of `publish`, or in none.
  private func take(
    _ turn: Turn, with element: Element, _ consumer: Consumer<Element>?,
    isolation: isolated (any Actor)?
  ) async {
    turn.adopt()
    let answer = await workElsewhere(on: element)
    await take(answer, of: turn, consumer, isolation: publish.isolation)
  }

  private func take(
    _ answer: Answer, of turn: Turn, _ consumer: Consumer<Element>?,
    isolation: isolated (any Actor)?
  ) async {
    if overlap == .firstOnly, pause == nil, let consumer { ignoreReady(of: consumer) }
    if isolation == nil {
      await publishInOrder((turn, answer))
    } else {
      // The isolation excludes others: it is not left before the answer is published.
      await publish(answer, of: turn)
    }
    turn.isDone.store(true, ordering: .relaxed)
  }

  /// What came while work was under way was sent before its answer is published, but the loop may not
  /// have had time to look at it. (What waits for quiet has not come yet.)
  private func ignoreReady(of consumer: Consumer<Element>) {
    // No more than there are now: a fast sender would keep this for ever.
    for _ in 0..<consumer.pendingCount {
      guard let element = consumer.takeReady() else { return }
      ignore(element)
    }
  }

  private func ignore(_ element: Element) {
    Causes.note { .ignored($0) }
    ignored?.send(element)
  }

  /// For lack of an isolation: one after the other, so that no answer is published after a newer one.
  /// The task that finds nobody publishing does so for all.
  private func publishInOrder(_ answer: (Turn, Answer)) async {
    var next = answers.withLock { $0.begin(with: answer) }
    while let (turn, answer) = next {
      await publish(answer, of: turn)
      next = answers.withLock { $0.next() }
    }
  }

  @inline(__always)
  private func publish(_ answer: Answer, of turn: Turn) async {
    turn.adopt()
    if turn.end(), !isClosed.load(ordering: .acquiring) {
      turns.end()
      await publish(answer)
    }
    turn.disown()
  }

  private func report(afterEndOf outlet: Outlet<Never>, isolation: isolated (any Actor)?) async {
    for await _ in outlet {}
    turns.report()
  }
}
