import AsyncChannels
import Foundation
import SharedChannels

/// Asks each machine of a trial for a command, and notes how long after a fault all of them have answered.
struct ServiceProbe {
  /// What the probe was told. It is part of the trial's history.
  private(set) var history = ClientHistory()
  private var times: [Duration] = []

  /// Returns when each machine has answered a command that it was asked after the call. That may take two minutes,
  /// since the machine may be busy.
  ///
  /// - Parameter fault: When the service was to go on. Nil if that is not to be measured.
  mutating func requireAnswers(
    of machines: [any TrialMachine], since fault: ContinuousClock.Instant? = nil
  ) async throws {
    history += try await within(.seconds(120)) {
      await withTaskGroup(of: ClientHistory.self) { group in
        for machine in machines {
          group.addTask { await TrialClient.historyOfOneCommand(on: machine) }
        }
        return await group.reduce(into: ClientHistory()) { $0 += $1 }
      }
    } orSay: {
      "the service does not go on: \(machines.map(\.health.value))"
    }
    if let fault { times.append(.now - fault) }
  }

  /// How long it took until the service went on.
  var summary: String {
    let sorted = times.sorted()
    guard let longest = sorted.last else { return "no rounds" }
    return """
      \(sorted.count) rounds, and the service goes on after \(seconds(sorted[sorted.count / 2])) s (median), \
      \(seconds(longest)) s (longest)
      """
  }

  private func seconds(_ duration: Duration) -> String {
    String(format: "%.2f", duration / .seconds(1))
  }
}
