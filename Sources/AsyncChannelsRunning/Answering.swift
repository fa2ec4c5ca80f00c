import AsyncChannels
import Synchronization

/// Where answers go.
typealias Publish<Element, Answer> = @isolated(any) @Sendable (Element, Answer) -> Void

/// One call of `answer`: a loop that takes elements and begins work on them.
///
/// One at a time, the loop works itself. Otherwise each element has a task, and the loop goes on to the next
/// element. If each element has an overlap of its own, one that waits for others makes the loop wait. What
/// becomes of an element `Fates` decides. The loop runs in the isolation of `publish` if something is reported
/// when an element is taken, if what is taken from a derived subscription may be ignored, or if the sequence is
/// no subscription. Otherwise it runs elsewhere. Answers are published in the isolation, where nothing else runs
/// between the decision that an answer counts and its publication. If `publish` has no isolation, they are
/// published one by one.
final class Answering<Element: Sendable, Answer: Sendable>: Sendable {
  let options: AnswerOptions<Element>
  var rules: AnswerRules { options.rules }
  let fates: Fates
  /// Nil if the sequence is neither a subscription nor an outlet.
  let consumer: Consumer<Element>?
  private let function: WorkFunction<Element, Answer>
  private let publish: Publish<Element, Answer>
  /// The task that reports that the call was cancelled.
  private let report = Locked<Task<Void, Never>?>(nil)
  private let answers = Locked(Answers())

  init(
    _ options: AnswerOptions<Element>, of consumer: Consumer<Element>?,
    by function: WorkFunction<Element, Answer>, publish: @escaping Publish<Element, Answer>
  ) {
    self.options = options
    self.consumer = consumer
    fates = Fates(options.rules, of: consumer?.place)
    self.function = function
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
    await consumer?.place.waiter.untilReported()
    await withTaskCancellationHandler {
      await withDiscardingTaskGroup { group in
        await answerEach(of: source, in: &group, isolation: isolation)
      }
    } onCancel: {
      // Immediately, since the next call may begin as soon as `cancel()` has returned. The report
      // has to wait: the code that cancels may be in any isolation, and hold any lock. Whatever the call
      // waits for, perhaps work that takes its time, the report does not.
      fates.close()
      if rules.reportsCancelling { reportLater(priority: priority) }
    }
    if let report = report.withLock({ $0 }) { await report.value }
    // What was being taken while the call was cancelled.
    await reportAbandoned(isolation: options.abandoned == nil ? nil : publish.isolation)
    fates.leave()
  }

  private func reportLater(priority: TaskPriority) {
    let task = Task.detached(priority: priority) {
      await self.reportAbandoned(isolation: self.publish.isolation)
    }
    report.withLock { $0 = task }
    // That it is not busy any more need not be reported before the next call begins.
    if rules.tellsAbandoned { consumer?.place.waiter.willReport(in: task) }
  }

  private func reportAbandoned(isolation: isolated (any Actor)?) async {
    for work in fates.takeAbandoned() {
      work.becomeCause()
      work.note { .abandoned($0) }
      await options.abandoned?(own(work).element)
      work.endAsCause()
    }
    fates.reportBusy()
  }

  /// Returns at the end of the elements, or when the task is cancelled, and the tasks that are no child
  /// tasks are done.
  private func answerEach(
    of source: any AnswerSource, in group: inout DiscardingTaskGroup,
    isolation: isolated (any Actor)?
  ) async {
    var steps = 0
    while true {
      if !isOneAhead, await !source.waitForElement(isolation: isolation) { break }
      steps += 1
      // Or tasks that begin work would fill the queues of executors, before others that wait there.
      if steps % 64 == 0 { await Task.yield() }
      if let work = await takeNext(from: source, isolation: isolation) {
        await begin(work, in: &group, isolation: isolation)
      }
      fates.settle()
    }
    fates.settle()
    for work in fates.unfinished { await work.untilDone() }
  }

  private var isOneAhead: Bool { rules.overlap == nil && fates.undecided != nil }

  /// Works on an element, or lets a task do it.
  private func begin(
    _ work: Work<Element>, in group: inout DiscardingTaskGroup, isolation: isolated (any Actor)?
  ) async {
    let overlap = rules.overlap ?? work.overlap
    // Of a cancelled call, the loop's task is cancelled for certain.
    if overlap == .oneAtATime && work.key == nil || fates.isClosed {
      await perform(work, isolation: isolation)
      // Another task may publish its answer.
      if rules.overlap == nil { await fates.untilFewerAreCurrent() }
    } else if overlap == .latestOnly || rules.overlap == nil {
      beginAlone(work, isolation: isolation)
    } else {
      beginAsChild(work, in: &group, isolation: isolation)
    }
  }

  private func beginAsChild(
    _ work: Work<Element>, in group: inout DiscardingTaskGroup, isolation: isolated (any Actor)?
  ) {
    // In the isolation, a task that begins immediately saves one hop: its work is elsewhere.
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *), isolation != nil {
      group.addImmediateTask { await self.perform(work, isolation: isolation) }
    } else {
      group.addTask { await self.perform(work) }
    }
  }

  /// In a task that is no child task: a newer element has to cancel it alone, and a child that can be
  /// cancelled alone needs a group, and a task more, for itself.
  private func beginAlone(_ work: Work<Element>, isolation: isolated (any Actor)?) {
    work.isBegun = true
    let task: Task<Void, Never>
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *), isolation != nil {
      task = Task.immediate { await self.perform(work, isolation: isolation) }
    } else {
      task = Task { await self.perform(work) }
    }
    work.isDone(by: task)
    // `close` cancels all that it finds: this is after it, or is found.
    if fates.isClosed { task.cancel() }
  }

  /// Works on an element, and publishes the answer.
  private func perform(_ work: Work<Element>, isolation: isolated (any Actor)? = nil) async {
    if work.previous != nil { await work.untilItsTurn() }
    work.becomeCause()
    if fates.isSuperseded(work) { return finish(work) }
    guard rules.mayAnswerTogether else {
      return await publish(await workElsewhere(on: work), of: work, isolation: publish.isolation)
    }
    // Any number may be ready together. So this is asked before the isolation is entered, though it costs a hop
    // where work ends in an actor.
    let answer = await workElsewhere(on: work)
    guard becomesPublisher(of: answer, work) else { return work.endAsCause() }
    await publish(answer, of: work, isPublisher: true, isolation: publish.isolation)
  }

  private func finish(_ work: AnyWork) {
    work.endAsCause()
    fates.finish(work)
  }

  /// Away from the isolation of the caller, which would be blocked by work that computes.
  @concurrent
  private func workElsewhere(on work: Work<Element>) async -> Answer {
    // The task knows before `fates` that the call is cancelled, and that may be why the work ends.
    defer { work.endedCancelled = Task.isCancelled }
    return switch function {
    case .silent(let function): await function(work.element)
    case .reporting(let function): await function(work, fates)
    }
  }

  /// What came while work was under way was sent before its answer is published, but the loop may not
  /// have had time to look at it.
  private func ignoreReady(isolation: isolated (any Actor)?) async {
    guard let consumer else { return }
    // No more than there are now: a fast sender would keep this for ever. What comes meanwhile `Fates` knows.
    var budget = LoopBudget()
    for _ in 0..<consumer.place.pendingCount {
      if isolation != nil, budget.isUsedUp() { await budget.pause() }
      if case .ignored(let work) = fates.take(as: .firstOnly, consumer.take) { ignore(own(work)) }
    }
  }

  func ignore(_ work: Work<Element>) {
    work.note { .ignored($0) }
    options.ignored?.send(work.element)
  }

  /// False if another task publishes, which publishes this answer, too.
  private func becomesPublisher(of answer: Answer, _ work: Work<Element>) -> Bool {
    answers.withLock { $0.begin { Box((answer, work)) } }
  }

  /// Publishes answers one after the other: no answer after a newer one, and none while another is being
  /// published. The task that has found nobody publishing does so for all, so others do not crowd the
  /// isolation. It lets others run there after 64 answers or a millisecond.
  ///
  /// - Parameter isolation: That of `publish`. It is not left between the decision that an answer counts and
  ///   its publication.
  private func publish(
    _ answer: Answer, of work: Work<Element>, isPublisher: Bool = false,
    isolation: isolated (any Actor)?
  ) async {
    guard isPublisher || becomesPublisher(of: answer, work) else { return work.endAsCause() }
    // Not sooner: the call waits for it.
    defer { finish(work) }
    var (answer, current) = (answer, work)
    var budget = LoopBudget(after: 1)
    while true {
      if rules.ignoresReady { await ignoreReady(isolation: isolation) }
      current.becomeCause()
      if fates.answer(current) { await publish(current.element, answer) }
      current.endAsCause()
      // The task that made its answer has left that to this one.
      if current !== work { finish(current) }
      guard let next = answers.withLock({ $0.takeNext() }) else { return }
      (answer, current) = Box.value(in: next)
      if isolation != nil, budget.isUsedUp() { await budget.pause() }
    }
  }
}
