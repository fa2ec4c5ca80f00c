import AsyncChannels
import AsyncChannelsRecording
import Synchronization

/// The jobs of one run of a closure in test time: which belong to it, which of them can run, and who waits until
/// none can.
///
/// **What belongs to it.** A job that becomes ready while one of its jobs runs was made ready by that: so it is the
/// run's, whether a new task's (`Task {}`, `Task.detached {}`, a child), one that was resumed, or an actor's. A
/// job that becomes ready on another thread is the run's if it is of a task, or of an actor, that is known to be:
/// something that no test owns, a thread or a server, has resumed it. Tasks are known by numbers that are never used
/// again, and actors weakly: one that is gone is known no longer, though another may be at its address. All others,
/// those of tests that run at the same time, go where they would have gone. Task-local values would not do: a detached task inherits none, and an actor's job
/// has none.
///
/// So *idle* is exact: what the run's jobs can cause is in `ready` before the job that causes it has ended, and
/// when that is empty after a job, nobody in the run has anything left to do.
///
/// All that is shared is under one lock, and nobody enqueues a job while holding it.
final class TestJobs: Sendable {
  private struct State {
    var ready: ReadyJobs
    /// The tasks that are known to belong to this run, by number; nil for one that has ended, or of which a report
    /// cannot tell.
    var tasks: [UInt64: SuspendedTask?] = [:]
    var sweepingAt = 1_024
    /// The actors whose jobs were made ready by this run.
    var actors = KnownActors()
    /// The lowest number that a task of this run can have.
    var firstTask: UInt64 = 0
    /// The closure's own task.
    var closure: UInt64?
    /// The thread on which one of the jobs runs; zero for none.
    var thread: UInt = 0
    /// Threads that call a turn of listeners of the run.
    var callers: Set<UInt> = []
    var idlers: [UnsafeContinuation<Void, Never>] = []
    var findings = Findings()
    /// Who waits, in words.
    var waiting: [Int: String] = [:]
    var lastWait = 0
    /// The tasks that something outside has resumed since the closure ran last, and how often.
    var resumedFromOutside: [UInt64: Int] = [:]
    var hasEnded = false
    var isAbandoned = false
  }

  /// The run that owns the time now. One at a time: see `TestTurn`.
  private static let owner = Locked<TestJobs?>(nil)
  private static let former = Locked(FormerRuns())

  let clock = TestClock()
  let order: JobOrder
  private let place: SourceLocation
  let watch: LoopWatch
  private let state: Locked<State>
  private let afterEachJob = Locked<[@Sendable () -> Void]>([])
  /// The line of those who begin to listen in the run, until its end.
  private let observers = Locked<ListenerQueue?>(nil)
  private let arrivals: AsyncStream<Void>
  /// Rung when a job was made ready by a thread that the run does not own.
  private let bell: AsyncStream<Void>.Continuation

  init(_ order: JobOrder, stepLimit: Int, at place: SourceLocation) {
    (self.order, self.place) = (order, place)
    watch = LoopWatch(limit: stepLimit, clock: clock)
    state = Locked(State(ready: ReadyJobs(order)))
    (arrivals, bell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// The run to which the code belongs that runs now on this thread; nil outside of test time.
  static var current: TestJobs? {
    guard let jobs = owner.withLock({ $0 }) else { return nil }
    let thread = CurrentThread.identifier
    return jobs.state.withLock { $0.thread == thread } ? jobs : nil
  }

  /// For an executor that was given a job, on any thread. True if the job belongs to the run, which will run it, or
  /// must not run.
  static func takeIfOwned(_ job: UnownedJob, to place: OwnedJob.Place) -> Bool {
    let job = OwnedJob(job: job, place: place)
    return isAbandoned(job) || owner.withLock { $0 }?.takeIfOwned(job) ?? false
  }

  private static func isAbandoned(_ job: OwnedJob) -> Bool {
    former.withLock { $0.hasAbandoned && job.taskNumber.map($0.isAbandoned) ?? false }
  }

  /// Whether somebody has to see jobs for ever.
  static var hasAbandoned: Bool { former.withLock { $0.hasAbandoned } }

  /// - Parameter duration: Nil if it is not known.
  static func noteRealSleep(_ duration: Duration?) {
    let sleeper = CurrentTask.number
    current?.state.withLock { $0.findings.noteRealSleep(of: sleeper, duration) }
  }

  private func takeIfOwned(_ job: OwnedJob) -> Bool {
    let (task, thread) = (job.taskNumber, CurrentThread.identifier)
    // Let go of without the lock.
    var seen: [any Actor] = []
    defer { withExtendedLifetime(seen) {} }
    var isNewTask = false
    let (isOwned, isFromOutside) = state.withLock { state -> (Bool, Bool) in
      if state.hasEnded { return (false, false) }
      let isInside = state.thread == thread
      let isOurs = isInside || state.callers.contains(thread)
      if let task {
        let isNew = state.tasks[task] == nil
        guard isOurs || !isNew else { return (false, false) }
        if isNew { state.tasks[task] = .some(SuspendedTask(job.job)) }
        if isNew, task < state.firstTask {
          state.findings.noteOutsider(from: Self.former.withLock { $0.place(of: task) })
        }
        if !isInside { state.resumedFromOutside[task, default: 0] += 1 }
        isNewTask = isNew && isInside
      } else if let actor = job.actor, isOurs || state.actors.contains(actor) {
        if isOurs { seen = state.actors.insert(actor) }
      } else if !isOurs {
        return (false, false)
      }
      state.ready.append(job)
      return (true, !isInside)
    }
    if isFromOutside { bell.yield() }
    if let task, isOwned, !isFromOutside {
      if isNewTask { watch.noteNewTask(task) } else { watch.noteResumed(task) }
    }
    return isOwned
  }

  /// Becomes the owner of what becomes ready on this thread while `body` runs.
  @MainActor
  func asOwner<Value>(_ body: () -> Value) -> Value {
    let thread = CurrentThread.identifier
    state.withLock { $0.thread = thread }
    defer { state.withLock { $0.thread = 0 } }
    return CurrentThread.inTestTime(body)
  }

  /// The line of those who begin to listen in the run: else its jobs could join a turn that is not its own, and idle
  /// would not wait for that. A turn is the run's, whatever thread rings a listener.
  private var queue: ListenerQueue {
    ListenerQueue { [self] enqueueTurn in
      if state.withLock({ $0.isAbandoned }) { return }
      let thread = CurrentThread.identifier
      state.withLock { _ = $0.callers.insert(thread) }
      enqueueTurn()
      state.withLock { _ = $0.callers.remove(thread) }
    }
  }

  /// Owns the time from now on, and makes the closure's task. Nil if it is not given both kinds of jobs.
  @MainActor
  func begin<Value>(_ makeTask: () -> Value) -> Value? {
    Self.owner.withLock { $0 = self }
    TestFollowing.follow(by: watch)
    let queue = queue
    observers.withLock { $0 = queue }
    ListenerQueue.replace { [self] used in
      guard Self.current != nil else { return nil }
      if let used, used !== queue { noteOutsider(used) }
      return queue
    }
    return asOwner {
      Task.detached {}
      Task { @MainActor in }
      let (count, last) = state.withLock { ($0.ready.count, $0.tasks.keys.max()) }
      guard count == 2, let last else { return nil }
      state.withLock { $0.firstTask = last }
      let made = makeTask()
      watch.begin(
        script: state.withLock { state in
          state.closure = state.tasks.keys.max()
          return state.closure
        })
      return made
    }
  }

  func doAfterEachJob(_ body: @escaping @Sendable () -> Void) {
    afterEachJob.withLock { $0.append(body) }
  }

  /// Runs what is ready, and what becomes ready by that, at most so many.
  @MainActor
  func runReady(atMost limit: Int) -> JobCount {
    let closure = state.withLock { $0.closure }
    var count = JobCount()
    watch.begin(conductor: CurrentTask.number)
    asOwner {
      while count.all < limit, !watch.hasCircle, let job = state.withLock({ $0.ready.popNext() }) {
        let task = job.taskNumber
        watch.begin(running: task)
        count.all += 1
        if task == closure { count.ofClosure += 1 }
        if task == nil, job.actor == nil { count.ofYields += 1 }
        job.run()
        for body in afterEachJob.withLock({ $0 }) { body() }
        if let task { letGo(of: task) }
      }
    }
    if count.ofClosure > 0 { state.withLock { $0.resumedFromOutside = [:] } }
    tellPlacesOfRealSleeps()
    return count
  }

  /// If the task has ended. Others, which end in a job of an actor, are let go when there are many.
  private func letGo(of task: UInt64) {
    // Not with the lock: it may be the last reference.
    var ended: [SuspendedTask] = []
    state.withLock { state in
      if let known = state.tasks[task] ?? nil, known.hasEnded {
        state.tasks[task] = .some(nil)
        ended.append(known)
      }
      guard state.tasks.count > state.sweepingAt else { return }
      for (number, known) in state.tasks {
        guard let known, known.hasEnded else { continue }
        state.tasks[number] = .some(nil)
        ended.append(known)
      }
      state.sweepingAt = 2 * state.tasks.count
    }
    withExtendedLifetime(ended) {}
  }

  /// Now that they are suspended.
  @MainActor
  private func tellPlacesOfRealSleeps() {
    let sleepers = state.withLock { state in
      state.findings.unplacedSleepers.map { ($0, state.tasks[$0] ?? nil) }
    }
    for (number, sleeper) in sleepers {
      let functions = sleeper?.functions ?? []
      state.withLock { $0.findings.notePlace(of: number, functions) }
    }
  }

  /// Resumes those who wait until nothing is left to do; false if nobody does.
  @MainActor
  func resumeIdlers() -> Bool {
    let idlers = state.withLock { state in
      let idlers = state.idlers
      state.idlers = []
      return idlers
    }
    asOwner { for idler in idlers { idler.resume() } }
    return !idlers.isEmpty
  }

  /// Waits until a thread that the run does not own has made a job ready. False if none has for so long.
  func waitForOutside(atMost limit: Duration) async -> Bool {
    let end = ContinuousClock.now + limit
    let timer = Task.detached { [bell] in
      try? await Task.sleep(until: end, clock: .continuous)
      bell.yield()
    }
    defer { timer.cancel() }
    for await _ in arrivals {
      if hasWork { return true }
      if ContinuousClock.now >= end { return false }
    }
    return hasWork
  }

  private var hasWork: Bool { state.withLock { $0.ready.count > 0 || !$0.idlers.isEmpty } }

  /// One that was made before the run stands in line.
  private func noteOutsider(_ observers: ListenerQueue) {
    let (isAbandoned, place) = Self.former.withLock {
      ($0.isAbandoned(observers), $0.place(of: observers))
    }
    if !isAbandoned { state.withLock { $0.findings.noteOutsider(from: place) } }
  }

  /// Owns the time no longer. What has become ready meanwhile runs as it would have without a test.
  ///
  /// - Parameter isAbandoned: Whether none of its tasks runs again, whoever resumes it.
  @MainActor
  func end(isAbandoned: Bool = false) -> Findings {
    let (rest, idlers, findings) = state.withLock { state in
      (state.hasEnded, state.isAbandoned) = (true, isAbandoned)
      var rest: [OwnedJob] = []
      while let job = state.ready.popNext() { rest.append(job) }
      let idlers = state.idlers
      state.idlers = []
      return (rest, idlers, state.findings)
    }
    let tasks = state.withLock { state in
      state.tasks.filter { isAbandoned || $0.value?.hasEnded == false }.keys
    }
    let observers = observers.withLock { $0.take() }
    Self.former.withLock {
      $0.add(place, observers: observers, tasks: tasks, isAbandoned: isAbandoned)
    }
    Self.owner.withLock { $0 = nil }
    ListenerQueue.replace(by: nil)
    TestFollowing.follow(by: nil)
    watch.end()
    for job in rest where !Self.isAbandoned(job) { job.enqueueAsUsual() }
    for idler in idlers { idler.resume() }
    return findings
  }

  /// Returns when no job of the run is ready and none runs; immediately when the run has ended.
  func idle() async {
    await withUnsafeContinuation { continuation in
      let hasEnded = state.withLock { state in
        if !state.hasEnded { state.idlers.append(continuation) }
        return state.hasEnded
      }
      if hasEnded { continuation.resume() } else { bell.yield() }
    }
  }

  /// Does something that may wait for ever, which is told if nothing else can happen.
  func waiting<Value>(_ sentence: String, _ wait: () async -> Value) async -> Value {
    let number = state.withLock { state in
      state.lastWait += 1
      state.waiting[state.lastWait] = sentence
      return state.lastWait
    }
    defer { state.withLock { _ = $0.waiting.removeValue(forKey: number) } }
    return await wait()
  }

  /// In which functions tasks are suspended, in words; those that have ended are left out.
  @MainActor
  func places(of tasks: [UInt64]) -> [String] {
    let suspended = state.withLock { state in tasks.map { state.tasks[$0] ?? nil } }
    var places: [String] = []
    for task in suspended {
      guard let functions = task?.functions(evenIfReady: true), !functions.isEmpty else { continue }
      let place = SuspendedTask.place(functions)
      if !places.contains(place) { places.append(place) }
    }
    return places
  }

  /// See `ReadyJobs`.
  var deviations: [Int: Int] { state.withLock { $0.ready.deviations } }

  /// The tasks of the closure that are ready now; all, if their jobs do not tell: those of tasks that yield are none
  /// of their own.
  var readyTasks: [UInt64] {
    state.withLock { state in
      let ready = state.ready.tasks
      let all = state.tasks.keys.filter { $0 > state.firstTask && $0 != state.closure }.sorted()
      return ready.isEmpty ? Array(all.prefix(100)) : ready
    }
  }

  /// Who waits now; to be asked when nothing is ready.
  @MainActor
  var report: WaitingReport {
    let (waits, tasks) = state.withLock { state in
      (
        state.waiting.sorted { $0.key < $1.key }.map(\.value),
        // Without those that were made to find out whether it is given jobs: the closure's is the first.
        state.tasks.filter { $0.key > state.firstTask }.sorted { $0.key < $1.key }
      )
    }
    return WaitingReport(
      waits: waits + tasks.flatMap { SettleWait.sentences(of: $0.key) } + watch.neglects,
      tasks: tasks.map { $0.value?.functions ?? [] }, clock: clock)
  }

  /// The closure's own task; nil before it was made.
  var closure: UInt64? { state.withLock { $0.closure } }

  var haveAllEnded: Bool { state.withLock { $0.tasks.values.allSatisfy { $0 == nil } } }

  func knows(_ actor: any Actor) -> Bool {
    let address = UInt(bitPattern: Unmanaged.passUnretained(actor as AnyObject).toOpaque())
    return state.withLock { $0.actors.contains(address) }
  }

  /// Whether the test fails in any case.
  var hasFindings: Bool { state.withLock { !$0.findings.isEmpty } }

  /// What something outside has resumed since the closure ran last.
  ///
  /// - Parameter limit: After how long the test fails.
  @MainActor
  func outsideReport(after limit: Duration) -> String {
    let resumed = state.withLock { $0.resumedFromOutside }
    let count = resumed.values.reduce(0, +)
    let places = places(of: resumed.sorted { $0.value > $1.value }.map(\.key)).prefix(3)
    let sentence =
      "Something outside has resumed its tasks \(count) times meanwhile: it fails after \(limit)."
    return ([sentence] + places.map { "- Such a task is \($0)" }).joined(separator: "\n")
  }

  func note(_ finding: String) {
    state.withLock { $0.findings.add(finding) }
  }
}

/// How many jobs have run.
struct JobCount {
  var all = 0
  /// Those of the closure's own task.
  var ofClosure = 0
  /// Those that end a `Task.yield()`.
  var ofYields = 0
}
