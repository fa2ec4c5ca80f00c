import Synchronization

/// One call of `answer`: a loop that takes elements and begins work on them.
///
/// One at a time, the loop works itself. Otherwise each element has a task, and the loop goes on to the next
/// element. If each element has an overlap of its own, one that waits for others makes the loop wait. What
/// becomes of an element `Turns` decides. The loop runs in the isolation of `publish` if something is reported
/// when an element is taken, if what is taken from a derived subscription may be ignored, or if the sequence is
/// no subscription. Otherwise it runs elsewhere. Answers are published in the isolation, where nothing else runs
/// between the decision that an answer counts and its publication. If `publish` has no isolation, they are
/// published one by one.
final class Answering<Element: Sendable, Answer: Sendable>: Sendable {
  let rules: AnswerRules
  /// If each element has its own.
  let overlapOf: @Sendable (Element) -> Overlap
  let turns: Turns
  /// Nil if the sequence is neither a subscription nor an outlet.
  let consumer: Consumer<Element>?
  private let work: Work<Element, Answer>
  private let publish: Publish<Element, Answer>
  private let ignored: Inlet<Element>?
  private let answers = Locked(Answers())

  init(
    _ rules: AnswerRules, overlapOf: @escaping @Sendable (Element) -> Overlap,
    of consumer: Consumer<Element>?, tellingIgnored ignored: Inlet<Element>?,
    work: Work<Element, Answer>, publish: Publish<Element, Answer>
  ) {
    self.rules = rules
    self.overlapOf = overlapOf
    self.consumer = consumer
    turns = Turns(rules, of: consumer?.place)
    self.ignored = ignored
    self.work = work
    self.publish = publish
  }

  /// Takes from its subscription.
  func run() async {
    guard let consumer else { return }
    let isElsewhere = !rules.areReported && (!rules.mayIgnore || consumer.place.isPlain)
    await run(from: consumer, isolation: isElsewhere ? nil : publish.isolation)
  }

  /// - Parameter isolation: In which the loop runs: that of `publish`, or none.
  func run(from source: any AnswerSource, isolation: isolated (any Actor)?) async {
    let priority = Task.currentPriority
    await withTaskCancellationHandler {
      await withDiscardingTaskGroup { group in
        await answerEach(of: source, in: &group, isolation: isolation)
      }
    } onCancel: {
      // Immediately, since the next call may begin as soon as `cancel()` has returned. The report
      // has to wait: the code that cancels may be in any isolation, and hold any lock. Whatever the call
      // waits for, perhaps work that takes its time, the report does not.
      turns.close()
      turns.reportLater(in: publish.isolation, priority: priority)
    }
    turns.leave()
  }

  /// Returns at the end of the elements, or when the task is cancelled, and the tasks that are no child
  /// tasks are done.
  private func answerEach(
    of source: any AnswerSource, in group: inout DiscardingTaskGroup,
    isolation: isolated (any Actor)?
  ) async {
    var (steps, ahead) = (0, Turn<Element>?.none)
    while true {
      if ahead == nil, await !source.waitForElement(isolation: isolation) { break }
      steps += 1
      // Or tasks that begin work would fill the queues of executors, before others that wait there.
      if steps % 64 == 0 { await Task.yield() }
      let count = rules.pause == nil ? readyCount : await countAfterPause(in: &group)
      let turn =
        rules.overlap == nil
        ? await takeNext(from: source, orAhead: &ahead, isolation: isolation)
        : count == 1
          ? takeNext(from: source)
          : await takeNewest(of: count, from: source, isolation: isolation)
      if let turn, begin(turn, before: ahead, in: &group, isolation: isolation) {
        if rules.overlap == nil { await untilOthersAreDone() }
        await perform(turn, isolation: isolation)
        // Another task may publish its answer.
        if rules.overlap == nil { await turns.untilNoneIsCurrent() }
      }
      turns.settle()
    }
    turns.settle()
    await untilOthersAreDone()
  }

  /// Waits for the tasks that are no child tasks, and for those that publish their answers.
  private func untilOthersAreDone() async {
    for turn in turns.current { await turn.untilDone() }
    if rules.overlap == nil { await turns.untilNoneIsCurrent() }
  }

  /// Decides what becomes of an element, and lets a task begin its work. True if the loop is to work itself.
  private func begin(
    _ turn: Turn<Element>, before ahead: Turn<Element>?, in group: inout DiscardingTaskGroup,
    isolation: isolated (any Actor)?
  ) -> Bool {
    let overlap = rules.overlap ?? turn.overlap
    // What is reported now is not caused by the one ahead, though that was taken last.
    if ahead != nil { turn.becomeCause() }
    defer { if ahead != nil { turn.endAsCause() } }
    switch turns.decide(turn, as: overlap, before: ahead) {
    case .closed: return false
    case .ignored:
      ignore(turn)
      return false
    case .begins(let older):
      drop(older, in: &group)
      if overlap == .oneAtATime { return true }
      if overlap == .latestOnly || rules.overlap == nil {
        beginAlone(turn, isolation: isolation)
      } else {
        beginAsChild(turn, in: &group, isolation: isolation)
      }
      return false
    }
  }

  private func beginAsChild(
    _ turn: Turn<Element>, in group: inout DiscardingTaskGroup, isolation: isolated (any Actor)?
  ) {
    // In the isolation, a task that begins immediately saves one hop: its work is elsewhere.
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *), isolation != nil {
      group.addImmediateTask { await self.perform(turn, isolation: isolation) }
    } else {
      group.addTask { await self.perform(turn) }
    }
  }

  /// In a task that is no child task: a newer element has to cancel it alone, and a child that can be
  /// cancelled alone needs a group, and a task more, for itself.
  private func beginAlone(_ turn: Turn<Element>, isolation: isolated (any Actor)?) {
    let task: Task<Void, Never>
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *), isolation != nil {
      task = Task.immediate { await self.perform(turn, isolation: isolation) }
    } else {
      task = Task { await self.perform(turn) }
    }
    turn.isWorkedOn(in: task)
    // `close` cancels all that it finds: this is after it, or is found.
    if turns.isClosed { task.cancel() }
  }

  /// Cancels work that is superseded. The call waits for it.
  func drop(_ older: Turns.OlderTurns, in group: inout DiscardingTaskGroup) {
    for turn in older.superseded { turn.cancel() }
    for turn in older.all where !turn.isDone.load(ordering: .acquiring) {
      group.addTask { await turn.untilDone() }
    }
  }

  /// Works on an element, and publishes the answer.
  private func perform(_ turn: Turn<Element>, isolation: isolated (any Actor)? = nil) async {
    turn.becomeCause()
    do throws(NotBegun) {
      guard rules.mayAnswerTogether else {
        return await publish(
          try await workElsewhere(on: turn), of: turn, isolation: publish.isolation)
      }
      // Any number may be ready together. So this is asked before the isolation is entered, though it costs a hop
      // where work ends in an actor.
      let answer = try await workElsewhere(on: turn)
      guard becomesPublisher(of: answer, turn) else { return turn.endAsCause() }
      await publish(answer, of: turn, isPublisher: true, isolation: publish.isolation)
    } catch {
      finish(turn)
    }
  }

  private func finish(_ turn: Turn<Element>) {
    turn.finish()
    if rules.overlap == nil { turns.remove(turn) }
  }

  /// Away from the isolation of the caller, which would be blocked by work that computes. Nothing suspends
  /// between the decision that work begins and its beginning.
  @concurrent
  private func workElsewhere(on turn: Turn<Element>) async throws(NotBegun) -> Answer {
    guard turns.begin(turn) else { throw NotBegun() }
    switch work {
    case .silent(let work): return await work(turn.element)
    case .reporting(let work): return await work(turn, turns)
    }
  }

  /// What came while work was under way was sent before its answer is published, but the loop may not
  /// have had time to look at it.
  private func ignoreReady(isolation: isolated (any Actor)?) async {
    guard let consumer else { return }
    // No more than there are now: a fast sender would keep this for ever. What comes meanwhile `Turns` knows.
    var budget = LoopBudget()
    for _ in 0..<consumer.place.pendingCount {
      if isolation != nil, budget.isUsedUp() { await budget.pause() }
      guard case .element(let turn) = turns.take(consumer.take) else { continue }
      if case .ignored = turns.decide(turn, as: .firstOnly) { ignore(own(turn)) }
    }
  }

  private func ignore(_ turn: Turn<Element>) {
    Causes.note(of: turn.origins) { .ignored($0) }
    ignored?.send(turn.element)
  }

  /// False if another task publishes, which publishes this answer, too.
  private func becomesPublisher(of answer: Answer, _ turn: Turn<Element>) -> Bool {
    answers.withLock { $0.begin { Box((answer, turn)) } }
  }

  /// Publishes answers one after the other: no answer after a newer one, and none while another is being
  /// published. The task that has found nobody publishing does so for all, so others do not crowd the
  /// isolation. It lets others run there after 64 answers or a millisecond.
  ///
  /// - Parameter isolation: That of `publish`. It is not left between the decision that an answer counts and
  ///   its publication.
  private func publish(
    _ answer: Answer, of turn: Turn<Element>, isPublisher: Bool = false,
    isolation: isolated (any Actor)?
  ) async {
    guard isPublisher || becomesPublisher(of: answer, turn) else { return turn.endAsCause() }
    // Not sooner: the call waits for it.
    defer { finish(turn) }
    var (answer, current) = (answer, turn)
    var budget = LoopBudget(after: 1)
    while true {
      if rules.ignoresReady { await ignoreReady(isolation: isolation) }
      current.becomeCause()
      if turns.end(current) { await publish(answer, to: current.element) }
      current.endAsCause()
      // The task that made its answer has left that to this one.
      if current !== turn { finish(current) }
      guard let next = answers.withLock({ $0.takeNext() }) else { return }
      (answer, current) = unsafeDowncast(next, to: Box<(Answer, Turn<Element>)>.self).value
      if isolation != nil, budget.isUsedUp() { await budget.pause() }
    }
  }
}

private struct NotBegun: Error {}
