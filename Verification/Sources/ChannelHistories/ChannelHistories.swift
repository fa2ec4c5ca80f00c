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
    // More than there are cores: now and then each waits for a ring of the waker.
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
    what every subscriber got and missed, what sending and settling returned, how many are subscribed,
    and which elements are in memory.

      --histories N   how many; 100000 unless told
      --seed S        of the first history; the next has S + 1, and so on. Random unless told
      --tell          prints each step before it is done: what led to a crash

    Exits with 0 if all went as the model says, 1 if not, 2 if one hung, 64 for a wrong argument. A
    failure names the seed of its history: --seed S --histories 1 runs it again.
    """
}
