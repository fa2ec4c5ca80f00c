import AsyncChannels

/// Runs a closure in test time: everything in it runs one job after the other, on the main thread, in an order that
/// is the same in each run, and time stands still until the test moves it.
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
/// **What belongs to it** is what the closure starts, and what that starts: tasks of each kind, child tasks, actors,
/// the main actor's jobs. So ``TestTime/idle()`` and ``TestTime/advance(by:)`` know when nobody has anything
/// left to do. Make and start what is tested inside the closure: if a task that was made earlier is woken in it, the
/// test fails and says so. So it does if something sleeps on a real clock, as `Task.sleep(for:)` does.
///
/// **What no test owns**: threads, processes, `URLSession`, dispatch queues, actors and tasks with executors of
/// their own. They run as usual. When one resumes a task of the closure, that task goes on in test time. `idle()`
/// does not wait for them.
///
/// **A test that would wait for ever** fails within a second: if nothing can run and the closure has not returned,
/// and nothing outside resumes a task of it for 0.9 s. (If something outside goes on, a timer for example, it fails
/// when the closure itself has waited for 20 s.) The failure says what waits; on Apple's systems it does not say in
/// which functions. The closure is cancelled then, and is abandoned if it does not return even so.
///
/// **Several calls** in a process wait for each other. Other tests run meanwhile, and do not belong to it, unless both
/// use the same actor, a global one for example: then jobs of one may run in the time of the other.
///
/// **What it cannot see**: code that is not isolated runs on the main thread, too. So a `MainActor.assumeIsolated` in
/// it passes here, and traps in the app. And a task that was made before the closure, and that runs on another thread
/// when the closure begins, may take what the closure sends without being noticed.
///
/// **The end.** When the closure has returned, what is ready is still run. Tasks that wait then, and are resumed
/// later, run as usual.
///
/// On Apple's systems, in a program whose main actor or pool has an executor of its own, this throws, since it would not
/// see the jobs.
///
/// - Parameters:
///   - orders: Whether the closure is run once, in the order in which jobs become ready, or again and again in
///     other orders. The failure that ends this names the seed of its order.
///   - fileID: Where the call is: for its own failures.
///   - line: Likewise.
///   - body: The test. It is kept if it never returns.
/// - Throws: What the closure throws, or a ``TestTimeFailure``.
@MainActor
public func withTestTime(
  orders: TestOrders = .asReady, fileID: StaticString = #fileID, line: UInt = #line,
  @_implicitSelfCapture _ body: @escaping @MainActor (TestTime) async throws -> Void
) async throws {
  let place = SourcePlace(fileID: fileID, line: line)
  if TestJobs.current != nil {
    throw TestTimeFailure(
      "withTestTime in the closure of another would wait for itself.", at: place)
  }
  await TestTurn.begin()
  defer { TestTurn.end() }
  for seed in orders.seeds {
    do {
      try await TestRun(seed: seed, at: place).run(body)
    } catch {
      guard let seed, !Task.isCancelled else { throw error }
      throw TestTimeFailure(ofOrder: seed, error, at: place)
    }
  }
}
