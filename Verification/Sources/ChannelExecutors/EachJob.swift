import AsyncChannels
import Proof

/// The next consumer begins after each k-th job of the one before it, as `HandoverAtEachJobTests` has
/// it, in the optimized build too, where a consumer has fewer jobs.
enum EachJob {
  static func run() {
    Watchdog.start(patience: 20)
    let activity = Activity(0)
    var handOvers = 0
    for kind in 0..<3 {
      for isCancelled in [true, false] {
        for yields in 0...3 {
          var jobs = 0
          while let taken = handOver(
            kind: kind, afterJobs: jobs, cancelling: isCancelled, yields: yields)
          {
            activity.note("handing over after job", jobs)
            guard taken.first + taken.second == [0, 1, 2] else {
              fail("after \(jobs) jobs the first got \(taken.first), the second \(taken.second)")
            }
            jobs += 1
          }
          // To fall asleep, and for each of three wakings.
          if jobs < 4 { fail("a consumer had only \(jobs) jobs") }
          handOvers += jobs
        }
      }
    }
    print("each-job: \(handOvers) hand-overs, each after another job")
  }

  /// Nil if the first consumer has ended before that.
  private static func handOver(
    kind: Int, afterJobs count: Int, cancelling isCancelled: Bool, yields: Int
  ) -> (first: [Int], second: [Int])? {
    let line = JobLine()
    let stage = Stage(line)
    let preference = Preference(line)
    let channel = Channel<Int>()
    let subscription = subscribe(to: channel.outlet, as: kind)
    var script = [
      { _ = channel.send(0) },
      { for number in 1...2 { channel.send(number) } },
      { channel.finish() },
    ]
    func step() -> Bool {
      if line.runOne() { return true }
      if script.isEmpty { return false }
      script.removeFirst()()
      return true
    }
    func consumer(yielding yields: Int) -> Task<[Int], Never> {
      Task(executorPreference: preference) { await stage.consume(subscription, yielding: yields) }
    }
    let first = consumer(yielding: 0)
    while line.runCount < count { if !step() { return nil } }
    if isCancelled { first.cancel() }
    let second = consumer(yielding: yields)
    while step() {}
    return blocking { (await first.value, await second.value) }
  }

  private static func subscribe(to outlet: Outlet<Int>, as kind: Int) -> Subscription<Int> {
    switch kind {
    case 0: outlet.subscribe()
    case 1: outlet.subscribe(buffering: .bufferingOldest(10))
    default: outlet.map { $0 }.filter { _ in true }.subscribe()
    }
  }
}

/// The jobs of an actor and of a task executor, in one order; they run when the program says so.
private final class JobLine: Sendable {
  private struct State {
    var jobs: [@Sendable () -> Void] = []
    var runCount = 0
  }

  private let state = Monitor(State())

  var runCount: Int { state.withLock(\.runCount) }

  func add(_ job: @escaping @Sendable () -> Void) {
    state.change { $0.jobs.append(job) }
  }

  func runOne() -> Bool {
    let job = state.withLock { state -> (@Sendable () -> Void)? in
      guard !state.jobs.isEmpty else { return nil }
      state.runCount += 1
      return state.jobs.removeFirst()
    }
    job?()
    return job != nil
  }
}

private final class Preference: TaskExecutor {
  private let line: JobLine

  init(_ line: JobLine) {
    self.line = line
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    line.add { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

private actor Stage {
  private final class Executor: SerialExecutor {
    private let line: JobLine

    init(_ line: JobLine) {
      self.line = line
    }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      line.add { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
  }

  private nonisolated let executor: Executor

  init(_ line: JobLine) {
    executor = Executor(line)
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  func consume(_ subscription: Subscription<Int>, yielding yields: Int) async -> [Int] {
    await giveWay(yields)
    var taken: [Int] = []
    for await number in subscription { taken.append(number) }
    return taken
  }
}
