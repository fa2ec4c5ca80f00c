/// What makes a test in test time inexact, and is said when it has ended.
struct Findings: Sendable {
  private var sentences: [String] = []
  private(set) var realSleepEnd: ContinuousClock.Instant?
  /// The tasks that sleep on a real clock, by number, before it was told where.
  private var sleepers: [UInt64] = []

  var text: String? { sentences.isEmpty ? nil : sentences.joined(separator: "\n") }

  mutating func add(_ sentence: String) {
    if !sentences.contains(sentence) { sentences.append(sentence) }
  }

  /// - Parameters:
  ///   - sleeper: The task that sleeps, by number.
  ///   - duration: Nil if it is not known.
  mutating func noteRealSleep(of sleeper: UInt64?, _ duration: Duration?) {
    let end = ContinuousClock.now + (duration ?? .zero)
    realSleepEnd = max(realSleepEnd ?? end, end)
    let time = duration.map { "for \($0) " } ?? ""
    add(
      """
      A task slept \(time)on a real clock, which the test does not move. Give it the clock of the test, \
      time.clock, in place of Task.sleep(for:) or of a default clock.
      """)
    if let sleeper { sleepers.append(sleeper) }
  }

  mutating func takeSleepers() -> [UInt64] {
    defer { sleepers = [] }
    return sleepers
  }

  /// - Parameter functions: Those in which the sleeper is suspended, from the innermost.
  mutating func notePlaceOfRealSleep(_ functions: [String]) {
    if !functions.isEmpty { add("It slept \(SuspendedTask.place(functions))") }
  }

  mutating func noteOutsider() {
    add(
      """
      A task that was made before the closure of withTestTime began was woken in it. What it did before that, it \
      did on other threads, so the test could not wait for it. Make and start what is tested inside the closure.
      """)
  }
}
