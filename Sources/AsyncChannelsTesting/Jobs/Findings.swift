/// What makes a test in test time inexact, and is said when it has ended.
struct Findings: Sendable {
  private var sentences: [String] = []
  private(set) var realSleepEnd: ContinuousClock.Instant?

  var text: String? { sentences.isEmpty ? nil : sentences.joined(separator: "\n") }

  mutating func add(_ sentence: String) {
    if !sentences.contains(sentence) { sentences.append(sentence) }
  }

  /// - Parameter duration: Nil if it is not known.
  mutating func noteRealSleep(_ duration: Duration?) {
    let end = ContinuousClock.now + (duration ?? .zero)
    realSleepEnd = max(realSleepEnd ?? end, end)
    let time = duration.map { "for \($0) " } ?? ""
    add(
      """
      A task slept \(time)on a real clock, which the test does not move. Give it the clock of the test, \
      time.clock, in place of Task.sleep(for:) or of a default clock.
      """)
  }

  mutating func noteOutsider() {
    add(
      """
      A task that was made before the closure of withTestTime began was woken in it. What it did before that, it \
      did on other threads, so the test could not wait for it. Make and start what is tested inside the closure.
      """)
  }
}
