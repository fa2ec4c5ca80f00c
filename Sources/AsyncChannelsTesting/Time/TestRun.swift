import AsyncChannels
import AsyncChannelsRecording

/// One run of a closure in test time.
///
/// It takes turns with the closure on the main actor: it runs what is ready; when nothing is, it resumes those who
/// wait for that; when nobody does, it waits for what no test owns, and in the end gives up.
@MainActor
final class TestRun {
  /// How long nothing may happen, in real time; and after the closure was cancelled.
  static var patience = (
    usual: Duration.milliseconds(900), afterCancel: Duration.milliseconds(50)
  )
  /// For how long something outside may go on without resuming the closure, in real time. Nothing tells a timer that never
  /// will from a server that does after a hundred pieces: each resumes one task, again and again, in one function. So this
  /// is long, and what goes on is printed before.
  var patienceWithOthers = (printing: Duration.seconds(2), failing: Duration.seconds(20))
  var print: (String) -> Void = { _ = System.writeText($0 + "\n", to: 2) }
  private var hasPrinted = false
  /// After so many jobs others that need the main actor have a turn.
  private static let share = 1_000
  /// After so many jobs, or calls of `Task.yield()`, in which no element is sent or taken, no task is made and the
  /// clock does not move, tasks are taken to wait for each other in loops.
  private var mostJobs: Int { max(100 * stepLimit, Self.share) }
  private var mostYields: Int { max(5 * stepLimit, Self.share) }
  /// How often a run may be idle in which nothing happens: a closure may ask for that in a loop.
  private static let mostIdles = (inVain: 10_000, inAll: 10_000_000)

  private let time: TestTime
  private let place: SourceLocation
  private var jobs: TestJobs { time.jobs }
  private var result: Result<Void, any Error>?
  private var closure: Task<Void, Never>?
  /// When the closure's own task ran last, in real time.
  private var closureRan = ContinuousClock.now

  private let stepLimit: Int

  /// Whether it is given the jobs. False in a test of what happens where it is not.
  private let seesJobs: Bool

  init(_ order: JobOrder, stepLimit: Int, at place: SourceLocation, seesJobs: Bool = true) {
    self.seesJobs = seesJobs
    time = TestTime(jobs: TestJobs(order, stepLimit: stepLimit, at: place))
    self.stepLimit = stepLimit
    self.place = place
  }

  /// Which jobs ran out of turn; see `ReadyJobs`.
  var deviations: [Int: Int] { jobs.deviations }

  /// Records what view models do from when they begin to run.
  func record() -> Recording {
    let recording = Recording(limit: 1_000)
    jobs.watch.record(in: recording)
    return recording
  }

  /// Whether the closure has not returned, and never runs again.
  private(set) var hasAbandoned = false

  func run(_ body: LentBody) async throws {
    if seesJobs { TestExecutors.install() } else { TestExecutors.remove() }
    let closure = jobs.begin {
      Task { @MainActor in
        do { result = .success(try await body.call(time)) } catch { result = .failure(error) }
      }
    }
    guard let closure else {
      _ = jobs.end()
      TestExecutors.remove()
      throw TestTimeFailure(
        """
        The runtime does not tell this test of the jobs that become ready, so it cannot control the time: the \
        program has a main executor or a pool of its own, or, on Apple's systems, the runtime does not call its hooks.
        """, at: place)
    }
    self.closure = closure
    // Not cancelled with the caller: it has to see the closure's end.
    let conduct = Task { await self.conduct() }
    let waiting = await withTaskCancellationHandler {
      await conduct.value
    } onCancel: {
      closure.cancel()
    }
    hasAbandoned = result == nil
    let findings = jobs.end(isAbandoned: hasAbandoned)
    // An abandoned task must not run, ever.
    if !TestJobs.hasAbandoned { TestExecutors.remove() }
    try judge(waiting, findings)
  }

  private func judge(_ waiting: String?, _ findings: Findings) throws {
    let sentences = [waiting, findings.text].compactMap { $0 }
    var error: (any Error)?
    if case .failure(let thrown) = result { error = thrown }
    if !sentences.isEmpty {
      throw TestTimeFailure(sentences.joined(separator: "\n"), besides: error, at: place)
    }
    if let error { throw error }
  }

  /// Runs all there is until the closure has returned. Returns what waited, if it never would have.
  private func conduct() async -> String? {
    var report: String?
    // How often it was not idle after it had failed.
    var endlessAgain = 0
    var idles = (inVain: 0, inAll: 0, progress: progress)
    while true {
      let endless = await runUntilIdle()
      let isIdle = endless == nil
      if result != nil { return report ?? endless }
      let progress = progress
      idles = (progress == idles.progress ? idles.inVain + 1 : 0, idles.inAll + 1, progress)
      // Others that need the main actor have a turn.
      if idles.inAll % Self.share == 0 { await Task.yield() }
      let isCircling =
        idles.inVain > Self.mostIdles.inVain || idles.inAll > Self.mostIdles.inAll
      if isIdle, !isCircling, jobs.resumeIdlers() { continue }
      if isIdle, !isCircling, await hasHelpFromOutside(isCancelled: report != nil) { continue }
      // A closure that was cancelled waits no longer, so that it can end what it has begun.
      if !isIdle, report != nil, endlessAgain < 2 {
        _ = jobs.resumeIdlers()
        endlessAgain += 1
        continue
      }
      if let report { return report + "\n" + Self.abandoned }
      report = endless ?? (isCircling ? Self.circling : jobs.report.text)
      if isIdle, waited > patienceWithOthers.failing { report? += "\n" + outsideReport }
      (idles.inVain, idles.inAll) = (0, 0)
      jobs.asOwner { closure?.cancel() }
      _ = jobs.resumeIdlers()
    }
  }

  /// What grows while the run gets somewhere.
  private var progress: Int { jobs.watch.stepCount + time.clock.moves }

  private func restless(_ count: JobCount) -> String {
    let what =
      count.ofYields >= mostYields
      ? "called Task.yield(), at least \(mostYields) times,"
      : "had something left to do, for at least \(mostJobs) jobs,"
    return """
      Some tasks always \(what) while the clock stood at \(time.clock.now): do they wait for something in a loop? If \
      this ends, give withTestTime a higher stepLimit.
      """
  }
  private static let abandoned =
    "It did not return when it was cancelled, either, and is abandoned."
  private static let circling =
    "The closure waited again and again until no task had anything left to do: does it wait in a loop?"

  /// Says why if there is no end of jobs.
  private func runUntilIdle() async -> String? {
    // In vain, and while the clock stood.
    var (count, countInAll) = (JobCount(), 0)
    var (before, moves) = (progress, time.clock.moves)
    // Very much that is sent and taken is no loop; so much is.
    while count.all < mostJobs, count.ofYields < mostYields, countInAll < 10 * mostJobs {
      let ran = jobs.runReady(atMost: Self.share)
      if ran.ofClosure > 0 { closureRan = .now }
      if let circle = jobs.watch.takeCircle() {
        return CircleReport(jobs: jobs, stepLimit: stepLimit).text(of: circle)
      }
      if ran.all < Self.share { return nil }
      if progress != before { count = JobCount() }
      count.all += ran.all
      count.ofYields += ran.ofYields
      countInAll = time.clock.moves == moves ? countInAll + ran.all : 0
      (before, moves) = (progress, time.clock.moves)
      await Task.yield()
    }
    let places = jobs.places(of: jobs.readyTasks).prefix(3)
    return ([restless(count)] + places.map { "- A task that is ready is \($0)" })
      .joined(separator: "\n")
  }

  /// For how long the closure has waited, in real time.
  private var waited: Duration { ContinuousClock.now - closureRan }
  private var outsideReport: String { jobs.outsideReport(after: patienceWithOthers.failing) }

  /// A test that fails in any case, for example because of a sleep on a real clock, is not waited for.
  private func hasHelpFromOutside(isCancelled: Bool) async -> Bool {
    if waited > patienceWithOthers.printing, !hasPrinted {
      hasPrinted = true
      print("\(place): The closure of withTestTime waits. \(outsideReport)")
    }
    if waited > patienceWithOthers.failing || waited > Self.patience.usual && jobs.hasFindings {
      return false
    }
    let patience = isCancelled ? Self.patience.afterCancel : Self.patience.usual
    return await jobs.waitForOutside(atMost: patience)
  }
}
