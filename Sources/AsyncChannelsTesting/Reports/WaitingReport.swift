/// What waits in a test that would wait forever.
struct WaitingReport {
  /// What is waited for, as those say who wait.
  let waits: [String]
  /// For each suspended task, its functions, from the innermost; the closure's is the first.
  let tasks: [[String]]
  let clock: TestClock

  var text: String {
    ([Self.beginning] + lines).joined(separator: "\n")
  }

  private static let beginning =
    "The closure would never return: no task in it has anything left to do, and it waits for something other than "
    + "the test's time."

  private var lines: [String] {
    let told = waits.map { "- \($0)" }
    guard let closure = tasks.first else { return told + sleepers }
    let others = Dictionary(grouping: tasks.dropFirst().filter { !$0.isEmpty }, by: { $0 })
      .map { (functions: $0.key, count: $0.value.count) }
      .sorted { $0.functions.lexicographicallyPrecedes($1.functions) }
      .prefix(20)
      .map {
        "- \($0.count == 1 ? "A task waits" : "\($0.count) tasks wait") \(SuspendedTask.place($0.functions))"
      }
    return told + ["- The closure waits \(SuspendedTask.place(closure))"] + sleepers + others
  }

  private var sleepers: [String] {
    guard let next = clock.nextDeadline else { return [] }
    return [
      "- \(clock.sleeperCount == 1 ? "A task sleeps" : "\(clock.sleeperCount) tasks sleep") on the test's clock, which "
        + "is at \(clock.now). The next deadline is \(next). Only time.advance(by:) moves the clock."
    ]
  }
}
