import Foundation
import Proof

/// Random histories, run in the library and in a plain sequential model of it.
@main
struct ChannelHistories {
  private var histories = 100_000
  private var seed = UInt64.random(in: 1...UInt64(UInt32.max))
  private var tells = false

  static func main() {
    Arguments.run(usage: usage) { arguments throws(UsageError) in
      var program = ChannelHistories()
      while let option = arguments.next() {
        switch option {
        case "--histories": program.histories = try arguments.number(of: option, atLeast: 1)
        case "--seed": program.seed = try arguments.number(of: option, atLeast: 0)
        case "--tell": program.tells = true
        default: throw .unknown(option)
        }
      }
      program.run()
    }
  }

  private func run() {
    print("seed \(seed)")
    Watchdog.start(patience: 60)
    let start = ContinuousClock.now
    let work = Work(histories: histories, seed: seed, tells: tells)
    // More than there are cores: now and then each waits for a ring of the ringer.
    let figures = work.run(on: 8 * ProcessInfo.processInfo.activeProcessorCount)
    if let failure = work.failure {
      print(Report(failure).text)
      exit(1)
    }
    let seconds = (ContinuousClock.now - start).components.seconds
    print(
      """
      \(figures.histories) histories, \(figures.steps) steps, \(figures.consumers) consumers, \
      \(figures.displacements) displaced, \(figures.taken) elements taken, settled \(figures.settled) times, \
      \(seconds) s: all as the model says
      """)
  }

  private static let usage = """
    usage: ChannelHistories [--histories N] [--seed S] [--tell]

    Runs random histories of one channel or current value (send, subscribe, take, displace,
    cancel, drop, settle, finish) in the library and in a sequential model, and compares after each step
    which elements each subscriber got and missed, what sending and settling returned, the number of
    subscribers, and which elements are in memory.

      --histories N   the number of histories; 100000 by default
      --seed S        the seed of the first history; the next has S + 1, and so on. Random by default
      --tell          prints each step before it is done, to see which steps led to a crash

    Exits with 0 if library and model agree, 1 if not, 2 if a history hung, 64 for a wrong argument. A
    failure names the seed of its history: --seed S --histories 1 runs it again.
    """
}
