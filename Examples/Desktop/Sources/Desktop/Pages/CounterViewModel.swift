import AsyncChannelsRunning

/// Counts 1,000,000 times a second, away from the main actor.
final class CounterViewModel: ViewModel {
  /// Input: whether to count.
  @Input var isOn: Inlet<Bool>

  var count: StateOutlet<Int> { $number }
  var isCounting: StateOutlet<Bool> { $counting }

  @CurrentValue private var number = 0
  @CurrentValue private var counting = false

  func run() async {
    let number = _number
    await _isOn.received.answer(.latestOnly, busy: _counting.inlet) { isOn in
      var next = ContinuousClock.now
      while isOn, !Task.isCancelled {
        for _ in 0..<1_000 { number.value += 1 }
        next += .milliseconds(1)
        try? await Task.sleep(until: next)
      }
    } publish: { _, _ in
    }
  }
}
