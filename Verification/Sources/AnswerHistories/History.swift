import AsyncChannelsRunning
import AsyncChannelsTesting
import Proof

/// A setup and the steps that are done with it.
struct History: Sendable {
  let seed: UInt64
  let setup: Setup
  var steps: [Step]

  /// Where library and model differ.
  struct Mismatch: Sendable {
    let steps: [Step]
    let reason: String?
    let expected: Observation
    let got: Observation
  }

  /// Runs the history in the model and in the library, and compares after each step. At its end all calls are
  /// cancelled, and all work ends. With an odd seed, jobs that are ready run in random order.
  @MainActor
  func mismatch() async throws -> Mismatch? {
    var found: Mismatch?
    let orders: TestOrders = seed.isMultiple(of: 2) ? .asReady : .random(1, seed: seed)
    try await withTestTime(orders: orders) { time in
      found = await run(in: time)
    }
    return found
  }

  @MainActor
  private func run(in time: TestTime) async -> Mismatch? {
    let library = LibraryRun(setup, in: time)
    var model = SequentialModel(setup)
    var done: [Step] = []
    func differs(after step: Step) async -> Mismatch? {
      // Which work there is depends on the steps before.
      let step = step.fitting(model.underWay)
      done.append(step)
      var (atCancel, got) = await library.apply(step)
      let reason = model.apply(step, seen: atCancel, got: got)
      var expected = model.observation
      if case .cancel = step {
        // When a cancelled call reports, and the next begins, may be in any order.
        expected.events.removeAll(where: \.isBusyReport)
        got.events.removeAll(where: \.isBusyReport)
      }
      if reason == nil, got == expected { return nil }
      return Mismatch(steps: done, reason: reason, expected: expected, got: got)
    }
    var mismatch: Mismatch?
    for step in steps where mismatch == nil { mismatch = await differs(after: step) }
    // Whatever was found, all tasks have to end.
    if mismatch == nil { mismatch = await differs(after: .run) }
    if mismatch == nil { mismatch = await differs(after: .finish) }
    _ = await library.apply(.cancel(afterSending: 0, turns: 0, thenRun: false))
    for number in 0..<200 { library.end(number) }
    await time.idle()
    return mismatch
  }

  /// A shorter history that goes wrong as well.
  @MainActor
  func shrunk() async throws -> History {
    var best = self
    for index in steps.indices.reversed() {
      var shorter = best
      shorter.steps.remove(at: index)
      if try await shorter.mismatch() != nil { best = shorter }
    }
    return best
  }
}

extension Step {
  /// A `complete` names one of these; without any, nothing is done but waiting.
  fileprivate func fitting(_ underWay: [Int]) -> Step {
    guard case .complete(let number) = self else { return self }
    return underWay.isEmpty ? .advance(0) : .complete(underWay[number % underWay.count])
  }
}

extension History {
  static func random(seed: UInt64) -> History {
    var random = SplitMix64(seed: seed)
    let overlap = random.pick(Overlap.allCases + [nil, nil, nil, nil])
    let keyed =
      overlap == nil ? random.pick([nil, .oneAtATime, .latestOnly, .firstOnly]) : Overlap?.none
    let hasLimit = (keyed != nil || overlap == .concurrent) && random.oneIn(2)
    let hasPause = random.oneIn(2) && overlap != nil
    let setup = Setup(
      overlap: overlap, keyed: keyed, limit: hasLimit ? random.number(1...3) : .max,
      seed: seed &* 1_000, pause: hasPause ? random.number(2...6) : nil,
      hasOwnPauses: random.oneIn(2), retries: random.oneIn(2),
      busyFromArrival: random.oneIn(2) && overlap != nil, reportsBusy: random.oneIn(2),
      tellsIgnored: random.oneIn(2), tellsAbandoned: random.oneIn(2), isIsolated: random.oneIn(2))
    let steps = (0..<random.number(3...25)).map { _ -> Step in
      switch random.number(0...99) {
      case 0..<30: .send(random.number(1...3))
      case 30..<45: .run
      case 45..<70: .complete(random.number(0...9))
      case 70..<82: .advance(random.number(1...8))
      case 82..<98:
        .cancel(
          // What becomes of it depends on what its work has come to by then.
          afterSending: overlap == nil || hasLimit ? 0 : random.number(0...3),
          turns: random.number(0...8),
          thenRun: random.oneIn(2))
      default: .finish
      }
    }
    return History(seed: seed, setup: setup, steps: [.run] + steps)
  }
}
