import AsyncChannels
import AsyncChannelsRecording
import Synchronization

/// Finds work that causes itself in a run: how many steps have followed from each other while the clock stood still.
///
/// A *step* is an element that is sent by a task that is at work on another, or a task that another makes. Its *depth*
/// is one more than that of its cause: what a task took last, or what the task was at work on that made or resumed it. What the test itself takes by
/// hand causes nothing: a script ends. So a program that works on a million elements has a depth of a few, and a loop
/// without an end is as deep as it is long. When the clock moves, all depths are zero again.
///
/// Each log that is made in the run is followed by a `WatchedLog`, with which the log's lock is held when this lock
/// is taken. Nothing is called while this is held.
final class LoopWatch: TestFollower {
  /// Elements and tasks that followed from each other, the last first.
  struct Circle: Sendable {
    /// The logs, each once.
    let logs: [WatchedLog]
    /// The tasks that sent, each once.
    let tasks: [UInt64]
    /// Whether the last step was a new task.
    let isOfTasks: Bool
  }

  private struct Depth {
    let steps: Int
    /// `LoopWatch.now`.
    let time: Int
  }

  private struct Weak {
    weak var log: WatchedLog?
  }

  private struct WeakOwner {
    weak var owner: (any AnyObject & Sendable)?
  }

  private struct State {
    /// By task.
    var depths: [UInt64: Depth] = [:]
    /// The last steps of more than half the limit.
    var last: [(log: Weak, task: UInt64?)] = []
    var circle: Circle?
    /// How often the script has taken something by hand, while the clock stood still.
    var takenByHand = (count: 0, time: 0)
    var recording: Recording?
    /// The task that runs the jobs.
    var conductor: UInt64?
    /// The task whose job runs; nil if the job does not tell.
    var running: UInt64?
    /// The closure's own task.
    var script: UInt64?
    var logs: [Weak] = []
    var owners: [WeakOwner] = []
    var cleaningAt = 256

    mutating func remember(_ log: WatchedLog?, _ task: UInt64?) {
      last.append((Weak(log: log), task))
      if last.count > 256 { last.removeFirst(128) }
    }
  }

  let limit: Int
  private let clock: TestClock
  private let state = Locked(State())
  private let hasFound = Atomic(false)
  private let found = Atomic(0)
  private let steps = Atomic(0)

  init(limit: Int, clock: TestClock) {
    (self.limit, self.clock) = (limit, clock)
  }

  /// Changes when the clock moves, and when a loop was found: both begin anew.
  private var now: Int { clock.moves + found.load(ordering: .relaxed) }

  /// Whether work causes itself. It is asked before each job.
  var hasCircle: Bool { hasFound.load(ordering: .relaxed) }

  /// How many elements have been sent or taken, and tasks made: what does none of these makes no progress.
  var stepCount: Int { steps.load(ordering: .relaxed) }

  /// What was found, if anything; begins anew then.
  func takeCircle() -> Circle? {
    guard hasCircle else { return nil }
    return state.withLock { state in
      hasFound.store(false, ordering: .relaxed)
      found.add(1, ordering: .relaxed)
      (state.depths, state.last) = ([:], [])
      return state.circle.take()
    }
  }

  func made(_ log: BroadcastLogBase) {
    let watched = WatchedLog(log, by: self)
    log.attach(watched)
    state.withLock { state in
      state.logs.append(Weak(log: watched))
      guard state.logs.count > state.cleaningAt else { return }
      state.logs.removeAll { $0.log == nil }
      state.cleaningAt = max(256, 2 * state.logs.count)
    }
  }

  func runs(_ object: any AnyObject & Sendable) {
    let recording = state.withLock { state in
      state.owners.append(WeakOwner(owner: object))
      return state.recording
    }
    // Jobs of the run run one after the other, on the main actor's thread.
    if !(object is any Actor) { recording?.add(object, isolation: nil) }
  }

  func record(in recording: Recording) { state.withLock { $0.recording = recording } }

  /// Those that run and live.
  var owners: [any AnyObject & Sendable] {
    state.withLock { state in state.owners.compactMap(\.owner) }
  }

  /// Sentences about logs whose elements nobody receives: at most five.
  var neglects: [String] {
    let logs = state.withLock { state in state.logs.compactMap(\.log) }
    return Array(logs.lazy.compactMap(\.neglect).prefix(5))
  }

  /// The run is over: what lives on is followed no longer.
  func end() {
    for log in state.withLock({ state in state.logs.compactMap(\.log) }) { log.detach() }
  }

  /// The running task has made another, or one that is known to nobody was resumed.
  func noteNewTask(_ new: UInt64) {
    step(by: CurrentTask.number) { state, depth in state.depths[new] = depth }
  }

  /// The running task has resumed another: so what that does now is caused by what this is at work on.
  func noteResumed(_ task: UInt64) {
    guard let cause = CurrentTask.number, cause != task else { return }
    state.withLock { state in
      // A job that is no task's, such as the one that ends a yield, runs in the conductor's.
      if task != state.script, cause != state.conductor { state.depths[task] = state.depths[cause] }
    }
  }

  /// The running task sends. Returns the depth of the element and the time of that.
  func noteSent(in log: WatchedLog) -> (steps: Int, time: Int) {
    let depth = step(of: log, by: CurrentTask.number) { _, _ in }
    return (depth.steps, depth.time)
  }

  func begin(conductor: UInt64?) { state.withLock { $0.conductor = conductor } }

  /// The job of a task runs from now on.
  func begin(running task: UInt64?) { state.withLock { $0.running = task } }

  func begin(script: UInt64?) { state.withLock { $0.script = script } }

  /// What the running task took last was taken by hand. A script that takes very much does so in a loop.
  func noteTakenByHand(from log: WatchedLog) {
    let (task, now) = (CurrentTask.number, now)
    state.withLock { state in
      guard let task, task == state.script else { return }
      state.depths[task] = nil
      state.takenByHand = (state.takenByHand.time == now ? state.takenByHand.count + 1 : 1, now)
      guard state.takenByHand.count >= 100 * limit, state.circle == nil else { return }
      state.circle = Circle(logs: [log], tasks: [task], isOfTasks: false)
      hasFound.store(true, ordering: .relaxed)
    }
  }

  /// The running task has taken an element of this depth.
  func noteTaken(_ steps: Int, at time: Int) {
    self.steps.add(1, ordering: .relaxed)
    guard let task = CurrentTask.number else { return }
    state.withLock { state in
      state.depths[task] = steps == 0 ? nil : Depth(steps: steps, time: time)
      // Whoever sends because of it may be another.
      if steps > limit / 2 { state.remember(nil, task) }
    }
  }

  @discardableResult
  private func step(
    of log: WatchedLog? = nil, by task: UInt64?, _ body: (inout State, Depth) -> Void
  ) -> Depth {
    let now = now
    steps.add(1, ordering: .relaxed)
    return state.withLock { state in
      // A task that begins immediately does so in the job of the task that makes it. It is known when it leaves the
      // actor, and is not the current one any more.
      let cause = task.flatMap { state.depths[$0] } ?? state.running.flatMap { state.depths[$0] }
      let depth = Depth(steps: (cause?.time == now ? cause?.steps ?? 0 : 0) + 1, time: now)
      body(&state, depth)
      if depth.steps > limit / 2 { note(depth, of: log, by: task, in: &state) }
      // What is not deep need not be remembered: it is counted from zero then.
      if state.depths.count > 100_000 {
        state.depths = state.depths.filter { $0.value.time == now && $0.value.steps > limit / 2 }
      }
      return depth
    }
  }

  private func note(
    _ depth: Depth, of log: WatchedLog?, by task: UInt64?, in state: inout State
  ) {
    state.remember(log, task)
    guard depth.steps >= limit, state.circle == nil else { return }
    var (logs, tasks): ([WatchedLog], [UInt64]) = ([], [])
    for (weak, task) in state.last.suffix(128).reversed() {
      if let log = weak.log, !logs.contains(where: { $0 === log }) { logs.append(log) }
      if let task, !tasks.contains(task) { tasks.append(task) }
    }
    state.circle = Circle(logs: logs, tasks: tasks, isOfTasks: log == nil)
    hasFound.store(true, ordering: .relaxed)
  }
}
