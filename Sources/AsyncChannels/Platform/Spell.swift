/// What a loop may use of its actor before it lets others run: 64 steps, or a millisecond.
struct Spell {
  private var steps = 0
  /// In nanoseconds.
  private var start: UInt64 = 0
  private(set) var isOver = false

  /// Whether others are to have a turn before the next step. To be asked before each step.
  mutating func isUsedUp() -> Bool {
    let now = CurrentThread.uptime
    if steps == 0 { start = now }
    steps += 1
    isOver = steps > 64 || now &- start >= Stint.longest
    return isOver
  }

  mutating func pause() async {
    self = Spell()
    await Task.yield()
  }
}
