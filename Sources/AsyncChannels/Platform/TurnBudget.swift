/// What a loop may use of its actor before it lets others run: 64 steps, or a millisecond.
struct TurnBudget {
  /// False in a test that owns the time, where a turn may not depend on how fast the machine is.
  private let countsTime: Bool
  private var steps: Int
  /// In nanoseconds, when this was first asked; zero before.
  private var start: UInt64 = 0
  private(set) var isOver = false

  /// - Parameter steps: How many were done already.
  init(after steps: Int = 0, countsTime: Bool = true) {
    (self.steps, self.countsTime) = (steps, countsTime)
  }

  /// Whether others are to have a turn before the next step. To be asked before each step.
  mutating func isUsedUp() -> Bool {
    steps += 1
    isOver = steps > 64 || countsTime && isTimeOver()
    return isOver
  }

  private mutating func isTimeOver() -> Bool {
    let now = CurrentThread.uptime
    if start == 0 { start = now }
    return now &- start >= LoopBudget.longest
  }

  /// Lets others run. The step that comes then is the first.
  mutating func pause() async {
    await Task.yield()
    self = TurnBudget(after: 1, countsTime: countsTime)
  }
}
