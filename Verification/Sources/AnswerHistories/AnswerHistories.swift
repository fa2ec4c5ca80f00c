import Foundation
import Proof

/// Random histories of `answer`, run in the library and in a plain sequential model of it.
@main
struct AnswerHistories {
  private var histories = 100_000
  private var seed = UInt64.random(in: 1...UInt64(UInt32.max))

  @MainActor
  static func main() async throws {
    var program = AnswerHistories()
    Arguments.run(usage: usage) { arguments throws(UsageError) in
      while let option = arguments.next() {
        switch option {
        case "--histories": program.histories = try arguments.number(of: option, atLeast: 1)
        case "--seed": program.seed = try arguments.number(of: option, atLeast: 0)
        default: throw .unknown(option)
        }
      }
    }
    try await program.run()
  }

  @MainActor
  private func run() async throws {
    print("seed \(seed)")
    Watchdog.start(patience: 60)
    let activity = Activity(0)
    var steps = 0
    for index in 0..<histories {
      let seed = seed &+ UInt64(index)
      activity.begin(seed: seed)
      let history = History.random(seed: seed)
      steps += history.steps.count
      guard let mismatch = try await history.mismatch() else { continue }
      let shrunk = try await history.shrunk()
      report(try await shrunk.mismatch() ?? mismatch, of: history)
      exit(1)
    }
    activity.end()
    print("\(histories) histories, \(steps) steps: all as the model says")
  }

  private func report(_ mismatch: History.Mismatch, of history: History) {
    print(
      """
      FAILED: the library does not do what the model says; to see it again:
        AnswerHistories --seed \(history.seed) --histories 1
      With \(history.setup), after these steps, as few as were found:
      \(mismatch.steps.map { "  \($0)" }.joined(separator: "\n"))
      \(mismatch.reason.map { "That cannot be: \($0)" } ?? "")
      expected \(mismatch.expected)
      got      \(mismatch.got)
      """)
  }

  private static let usage = """
    usage: AnswerHistories [--histories N] [--seed S]

    Runs random histories of `answer` (send, run, cancel and run again, end of work, time, finish) in the
    library and in a sequential model, and compares after each step which work was begun, published, ignored and
    reported as busy, which work was cancelled, which calls have returned, and which elements wait.

      --histories N   the number of histories; 100000 by default
      --seed S        the seed of the first history; the next has S + 1, and so on. Random by default

    Exits with 0 if library and model agree, 1 if not, 2 if a history hung, 64 for a wrong argument. A
    failure names the seed of its history: --seed S --histories 1 runs it again.
    """
}
