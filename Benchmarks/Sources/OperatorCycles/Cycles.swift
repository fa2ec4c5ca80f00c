import AsyncChannels
import Synchronization

/// When a run is cancelled.
enum Moment: CaseIterable {
  /// Before its task has run.
  case immediately
  /// While it begins.
  case starting
  /// While it waits for an element.
  case waiting
  /// Right after an element was sent.
  case sent
  /// While an element is on its way through the operator.
  case working
  /// In the loop's body.
  case inBody
  /// In the loop's body, when there is another element already.
  case inBodyWithMore
}

/// Runs an operator's loop again and again, and cancels each run.
struct Cycles: Sendable {
  private let subject: Operator
  private let count: Int
  private let ledger = Ledger()
  private let channels = (Channel<Int>(), Channel<Int>())
  private let inputs: (Tapped, Tapped)

  init(_ count: Int, of subject: Operator) {
    self.subject = subject
    self.count = count
    inputs = (
      Tapped(base: channels.0.outlet.subscribe(), ledger: ledger),
      Tapped(base: channels.1.outlet.subscribe(), ledger: ledger)
    )
  }

  /// What became of the elements.
  func run() async -> Outcome {
    var runs: [Task<Void, Never>] = []
    for cycle in 0..<count {
      Progress.note(subject.name, cycle)
      let moments = Moment.allCases
      let run = await cancelledRun(cycle, at: moments[cycle % moments.count])
      runs.append(run)
      // Every other time the next run begins when this one has ended; else it does not wait.
      guard (cycle / moments.count).isMultiple(of: 2) else { continue }
      for run in runs { await run.value }
      runs = []
    }
    for run in runs { await run.value }
    channels.0.finish()
    channels.1.finish()
    for await element in inputs.0 { ledger.left(element) }
    for await element in inputs.1 { ledger.left(element) }
    // A task that an operator left behind may hold one that it has not noted yet.
    _ = await within(.seconds(10)) { ledger.takenCount == ledger.sentCount }
    return ledger.outcome(of: subject.name, cycles: count, does: subject.habits)
  }

  private func cancelledRun(_ cycle: Int, at moment: Moment) async -> Task<Void, Never> {
    let isInBody = Flag()
    let staysInBody = moment == .inBody || moment == .inBodyWithMore
    let body: Body = { [ledger] elements in
      ledger.delivered(elements, in: cycle)
      isInBody.set()
      // Until it is cancelled.
      if staysInBody { try? await Task.sleep(for: .seconds(3600)) }
    }
    let work: nonisolated(nonsending) @Sendable () async -> Void = { [subject, inputs] in
      await subject.run(inputs.0, inputs.1, body)
    }
    // As a view model's `run()`, and as a task of its own.
    let task = cycle.isMultiple(of: 2) ? Task { @MainActor in await work() } : Task { await work() }
    switch moment {
    case .immediately, .sent: break
    case .starting: await giveWay(1 + cycle % 5)
    case .waiting, .working, .inBody, .inBodyWithMore: await giveWay(20 + cycle % 5)
    }
    switch moment {
    case .immediately, .starting, .waiting:
      task.cancel()
      send()
    case .sent:
      send()
      task.cancel()
    case .working:
      send()
      await giveWay(1 + cycle % 11)
      task.cancel()
    case .inBody, .inBodyWithMore:
      send()
      // In vain where the operator waits for an element that it has lost before.
      _ = await within(.milliseconds(3)) { isInBody.isSet }
      if moment == .inBodyWithMore {
        send()
        await giveWay(cycle % 7)
      }
      task.cancel()
    }
    return task
  }

  private func send() {
    channels.0.send(ledger.send())
    if subject.readsTwo { channels.1.send(ledger.send()) }
  }
}

/// Lets other tasks run until a condition holds; false if it does not in that time.
private func within(_ limit: Duration, _ condition: () -> Bool) async -> Bool {
  let end = ContinuousClock.now + limit
  while !condition() {
    if ContinuousClock.now > end { return false }
    await Task.yield()
  }
  return true
}

private func giveWay(_ times: Int) async {
  for _ in 0..<times { await Task.yield() }
}
