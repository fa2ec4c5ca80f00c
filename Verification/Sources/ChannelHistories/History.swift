import Proof

/// A setup and the steps that are done with it.
struct History: Sendable {
  let setup: Setup
  var steps: [Step]
  /// Whether to print each step before it is done.
  var isTold = false

  /// Where library and model differ.
  struct Mismatch: Sendable {
    /// All steps that made sense, up to the one after which library and model differ.
    let steps: [Step]
    let expected: Observation
    let got: Observation
  }

  /// Runs the history in the model and in the library, and compares after each step.
  ///
  /// At its end everything is cancelled and dropped: then nothing may be alive.
  func mismatch(patience: Double, activity: Activity, count: inout Figures) -> Mismatch? {
    setup.isWide
      ? run(LibraryRun<Wide>(setup, patience: patience), activity, &count)
      : run(LibraryRun<Narrow>(setup, patience: patience), activity, &count)
  }

  private func run<Element>(
    _ library: LibraryRun<Element>, _ activity: Activity, _ figures: inout Figures
  ) -> Mismatch? {
    var model = SequentialModel(setup)
    var done: [Step] = []
    func differs(after step: Step) -> Mismatch? {
      guard model.apply(step) else { return nil }
      done.append(step)
      activity.note("is at step", done.count)
      if isTold { complain("\(step)") }
      library.apply(step, expecting: model.observation)
      let got = library.observation
      model.allow(got.settlings)
      return got == model.observation
        ? nil : Mismatch(steps: done, expected: model.observation, got: got)
    }
    for step in steps {
      if let mismatch = differs(after: step) { return mismatch }
    }
    for step in ending(of: model.observation) {
      if let mismatch = differs(after: step) { return mismatch }
    }
    figures.add(model.observation, steps: done.count, displacements: model.displacements)
    return nil
  }

  private func ending(of observation: Observation) -> [Step] {
    observation.consumers.filter { !$0.hasEnded }.flatMap { [.cancel($0.number), .run($0.number)] }
      + observation.subscribers.map { .drop($0.number) } + [.dropOwner]
  }

  /// A shorter history that goes wrong as well, as far as one is found in some seconds.
  func shrunk(activity: Activity) -> History {
    let clock = ContinuousClock()
    let end = clock.now + .seconds(20)
    var best = self
    var length = steps.count / 2
    while length > 0, clock.now < end {
      var start = 0
      while start < best.steps.count, clock.now < end {
        var shorter = best
        shorter.steps.removeSubrange(start..<min(start + length, best.steps.count))
        var unused = Figures()
        if shorter.mismatch(patience: 0.3, activity: activity, count: &unused) == nil {
          start += length
        } else {
          best = shorter
        }
      }
      length /= 2
    }
    return best
  }
}

/// How much was looked at.
struct Figures: Sendable {
  var histories = 0
  var steps = 0
  var consumers = 0
  var taken = 0
  var displacements = 0
  var settled = 0

  mutating func add(_ observation: Observation, steps count: Int, displacements: Int) {
    histories += 1
    steps += count
    consumers += observation.consumers.count
    self.displacements += displacements
    taken += observation.consumers.reduce(0) { $0 + $1.taken.count }
    settled += observation.settlings.count { $0.result == true }
  }

  static func += (sum: inout Figures, other: Figures) {
    sum.histories += other.histories
    sum.steps += other.steps
    sum.consumers += other.consumers
    sum.taken += other.taken
    sum.displacements += other.displacements
    sum.settled += other.settled
  }
}
