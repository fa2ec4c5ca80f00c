import AsyncChannels
import Foundation
import SharedChannels

/// A client that asks for one command after another until the trial is over, and notes what it is told.
///
/// If it gets no answer, it asks another machine, with the same key.
struct TrialClient: Sendable {
  enum Habit {
    /// Waits for each answer.
    case waits
    /// Soon stops waiting for an answer, so that some tries are in progress when another machine gets the next one.
    case leaves
    /// After two commands, reads the state.
    case reads
  }

  let habit: Habit
  let machines: StateOutlet<[any TrialMachine]>
  /// The place of the machine that the client asks first.
  let preferred: Int
  let isOver: StateOutlet<Bool>

  func run() async -> ClientHistory {
    var history = ClientHistory()
    while goesOn {
      await ask(UUID().uuidString, &history)
      if habit == .reads {
        await ask(UUID().uuidString, &history)
        await read(&history)
      }
    }
    return history
  }

  /// Asks one machine, as often as it takes.
  static func historyOfOneCommand(on machine: any TrialMachine) async -> ClientHistory {
    let (machines, isOver) = (CurrentValue([machine]), CurrentValue(false))
    let client = TrialClient(
      habit: .waits, machines: machines.outlet, preferred: 0, isOver: isOver.outlet)
    var history = ClientHistory()
    await client.ask(UUID().uuidString, &history)
    return history
  }

  private var goesOn: Bool { !isOver.value && !Task.isCancelled }

  private func machine(after tries: Int = 0) -> any TrialMachine {
    let machines = machines.value
    return machines[(preferred + tries) % machines.count]
  }

  private func ask(_ key: String, _ history: inout ClientHistory) async {
    var tries = 0
    while goesOn {
      let (machine, began) = (machine(after: tries), ContinuousClock.now)
      let outcome = await outcome(of: key, on: machine)
      history.note(outcome, for: key, from: began)
      switch outcome {
      case .applied?, .repeated?: return
      case .notStored?, nil: tries += 1
      }
      // A log that refuses everything need not be asked more often.
      try? await Task.sleep(for: .milliseconds(10))
    }
  }

  private func outcome(
    of key: String, on machine: any TrialMachine
  ) async -> CommandOutcome<Int>? {
    guard habit == .leaves else { return await machine.ask(key) }
    return await first {
      await machine.ask(key)
    } or: {
      try? await Task.sleep(for: .milliseconds(.random(in: 5...100)))
    }
  }

  private func read(_ history: inout ClientHistory) async {
    let (machine, began) = (machine(), ContinuousClock.now)
    let state = await first {
      try? await machine.upToDateTally()
    } or: {
      // A channel that has ended does not get up to date any more.
      for await (isOver, machines) in StateOutlet.combine(isOver, machines)
      where isOver || !machines.contains(where: { $0 === machine }) { return }
    }
    if let state { history.note(read: state, from: began) }
  }

  /// What the work gives; nil, and the work is cancelled, if the limit is there first.
  private func first<Value: Sendable>(
    _ work: @escaping @Sendable () async -> Value?, or limit: @escaping @Sendable () async -> Void
  ) async -> Value? {
    await withTaskGroup(of: Value?.self) { group in
      group.addTask { await work() }
      group.addTask {
        await limit()
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
  }
}
