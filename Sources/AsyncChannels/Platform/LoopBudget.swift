/// What a loop may use of its actor before it lets others run: 64 steps, or a millisecond.
///
/// A step is whatever the loop asks before: an element, an answer, or a look for more of them. Time that the loop
/// sleeps does not count, since it begins anew then. In a test that owns the time only steps count: what runs
/// next may not depend on how fast the machine is.
package struct LoopBudget: Sendable {
  /// In nanoseconds, when this was first asked; zero before.
  private var start: UInt64 = 0
  /// Small, since each subscription has one.
  private var steps: Int32
  private(set) var isOver = false

  /// - Parameter steps: How many were done already.
  package init(after steps: Int32 = 0) {
    self.steps = steps
  }

  /// Whether others are to have a turn before the next step. To be asked before each step.
  package mutating func isUsedUp() -> Bool {
    steps += 1
    isOver = steps > 64 || !CurrentThread.isInTestTime && isTimeOver()
    return isOver
  }

  private mutating func isTimeOver() -> Bool {
    let now = CurrentThread.uptime
    if start == 0 { start = now }
    return now &- start >= 1_000_000
  }

  /// Lets others run. The step that comes then is the first.
  package mutating func pause() async {
    await Task.yield()
    self = LoopBudget(after: 1)
  }
}
