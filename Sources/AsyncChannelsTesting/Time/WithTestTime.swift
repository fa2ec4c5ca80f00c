import AsyncChannels
import AsyncChannelsRecording

/// Runs a test in which time stands still until the test moves it. Everything in the closure runs one job
/// after the other, on the main thread, in an order that is the same in each run.
///
/// ```swift
/// @MainActor
/// func test_aPauseEndsTheTyping() async throws {
///   try await withTestTime { time in
///     let viewModel = SearchViewModel(clock: time.clock) { query in ["\(query) 6"] }
///     let hits = Probe(viewModel.$hits)
///     try await withRunning(viewModel) {
///       viewModel.query.send("Swift")
///       await time.advance(by: .milliseconds(299))
///       XCTAssertEqual(hits.values, [[]])
///       await time.advance(by: .milliseconds(1))
///       XCTAssertEqual(hits.values, [[], ["Swift 6"]])
///     }
///   }
/// }
/// ```
///
/// **What the test owns**: everything that the closure starts, directly or indirectly: tasks of each kind,
/// child tasks, actors, the main actor's jobs. So ``TestTime/idle()`` and ``TestTime/advance(by:)`` know when
/// no task has anything left to do. Create and start the objects that you test inside the closure: if a task
/// that was made earlier is woken in it, the test fails and says so. The test also fails if something sleeps
/// on a real clock, as `Task.sleep(for:)` does.
///
/// **The closure** has the isolation of the caller, and does not escape: a helper can pass on a closure of its own. Mark the test
/// `@MainActor`, to use view models in it.
///
/// **What no test owns**: threads, processes, `URLSession`, dispatch queues, actors and tasks with executors
/// of their own. They run as usual. When one of them resumes a task of the closure, the task continues in
/// test time. `idle()` does not wait for them.
///
/// **Work that causes itself**, such as a task that writes the state that it follows, fails the test. The failure names
/// the state, the task and the function, and shows what happened last.
///
/// **A test that would wait forever** fails, usually within a second. It fails if no task can run, the closure has not
/// returned, and nothing outside resumes a task of the closure for 0.9 s. (If something outside continues,
/// for example a timer, the test prints what continues after 2 s, and fails when the closure itself has waited for 20 s.) The failure says what
/// waits; on Apple's systems it does not say in which functions. Then the closure is cancelled, and abandoned
/// if it still does not return.
///
/// **Several calls** in a process wait for each other. Other tests run meanwhile, and are not owned. But if
/// two tests use the same actor, for example a global one, jobs of one test may run in the time of the other.
///
/// **What it cannot see**: code that is not isolated also runs on the main thread. So a
/// `MainActor.assumeIsolated` in such code passes in test time, and traps in the app. A task that was made
/// before the closure, and runs on another thread when the closure begins, may take elements that the closure
/// sends without being noticed.
///
/// **The end.** After the closure has returned, jobs that are ready still run in test time. Tasks that wait
/// then, and are resumed later, run as usual.
///
/// On Apple's systems, this throws in a program whose main actor or pool has an executor of its own, since it
/// would not see the jobs.
///
/// - Parameters:
///   - orders: How often, and in which orders, the closure runs: once, in the order in which jobs become
///     ready, or many times in other orders. The first order that fails ends the call. The failure names its seed,
///     and says which of its jobs have to run out of turn for that: to find that out, the closure runs up to 100
///     times more.
///   - stepLimit: How many steps may follow from each other while the clock stands still. A step is an element that a
///     task sends while it is at work on another, or a task that a task makes. More are taken for work that causes
///     itself without end, and fail the test. So do five times as many calls of `Task.yield()`, or 100 times as many
///     jobs, in which nothing is sent or taken.
///   - fileID: The file of the call, for its own failures. Do not pass it.
///   - line: The line of the call. Do not pass it.
///   - body: The test. If it does not return even when it is cancelled, it is abandoned, and does nothing more.
/// - Throws: The error of the closure, or a ``TestTimeFailure``.
public func withTestTime(
  orders: TestOrders = .asReady, stepLimit: Int = 10_000, fileID: StaticString = #fileID,
  line: UInt = #line, _ body: (TestTime) async throws -> Void
) async throws {
  let call = TestCall(
    orders: orders, stepLimit: stepLimit, place: SourceLocation(fileID: fileID, line: line))
  try await withoutActuallyEscaping(body, do: call.run)
}

/// One call of `withTestTime`.
private struct TestCall {
  let orders: TestOrders
  let stepLimit: Int
  let place: SourceLocation

  func run(_ body: @escaping (TestTime) async throws -> Void) async throws {
    let body = LentBody(call: body)
    let references = body.referenceCount
    do {
      try await run(body)
    } catch {
      body.takeBack(leaving: references)
      throw error
    }
  }

  @MainActor
  private func run(_ body: LentBody) async throws {
    if TestJobs.current != nil {
      throw TestTimeFailure(
        "withTestTime in the closure of another would wait for itself.", at: place)
    }
    await TestTurn.begin()
    defer { TestTurn.end() }
    if let failure = RuntimeCheck.failure { throw TestTimeFailure(failure, at: place) }
    let search = OrderSearch(stepLimit: stepLimit, place: place, body: body)
    for seed in orders.seeds {
      if let seed {
        try await search.run(seed)
      } else {
        try await TestRun(.asReady, stepLimit: stepLimit, at: place).run(body)
      }
    }
  }
}
