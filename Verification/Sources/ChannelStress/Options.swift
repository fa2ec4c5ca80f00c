import Proof

/// What the program was told.
struct Options: Sendable {
  enum Planted: Sendable {
    case race, useAfterFree
  }

  var seconds: Int?
  var deliveries: Int?
  var races: Int?
  var seed = UInt64.random(in: 1...UInt64(UInt32.max))
  var patience = 60
  var conditions = Conditions()
  var planted: Planted?

  init(_ arguments: inout Arguments) throws(UsageError) {
    while let option = arguments.next() {
      switch option {
      case "--seconds": seconds = try arguments.number(of: option, atLeast: 1)
      case "--deliveries": deliveries = try arguments.number(of: option, atLeast: 1)
      case "--races": races = try arguments.number(of: option, atLeast: 1)
      case "--seed": seed = try arguments.number(of: option, atLeast: 0)
      case "--patience": patience = try arguments.number(of: option, atLeast: 1)
      case "--busy": conditions.busyThreads = try arguments.number(of: option, atLeast: 0)
      case "--mixed-priorities": conditions.mixesPriorities = true
      case "--one-core": conditions.staysOnOneCore = true
      case "--own-threads": conditions.ownThreads = try arguments.number(of: option, atLeast: 1)
      case "--planted-race": planted = .race
      case "--planted-use-after-free": planted = .useAfterFree
      default: throw .unknown(option)
      }
    }
    if seconds == nil, deliveries == nil, races == nil { seconds = 20 }
  }

  static let usage = """
    usage: ChannelStress [--seconds N] [--deliveries N] [--races N] [--seed S] [--patience N]
                         [--busy N] [--mixed-priorities] [--one-core] [--own-threads N]
           ChannelStress --planted-race | --planted-use-after-free

    Runs rounds of storms and races on channels, on all cores. In a storm, several senders send to many
    subscribers, which keep up, fall behind, are cancelled, hand over, leave and come back, until the
    channel is finished or its owner dropped. Then the program checks which elements each subscriber
    got, in which order, and how many it dropped. In a race, two threads do two things at the same
    instant, such as cancelling a consumer and sending to it. At the end of each, no element may be alive.

      --seconds N      runs for N seconds; 20 if no goal is given
      --deliveries N   runs until N elements were taken in storms
      --races N        runs until there were N races of cancel against send, and N of finish against
                       subscribe. Only races that overlapped in time count, so this needs two cores
      --seed S         the seed of the first round; the next has S + 1, and so on. Random by default.
                       The seed determines the steps, not how threads interleave
      --patience N     after N seconds without progress, the run fails as hung; 60 by default

    With several goals, it runs until all of them are reached.

      --busy N            runs beside N threads that only compute
      --mixed-priorities  each task has background, medium or high priority at random
      --one-core          all threads share one core; Linux only
      --own-threads N     all tasks run on N threads of their own, as in the strict pool of Apple's
                          systems, which has one thread

    Under these conditions, a thread is often stopped while it holds something that others need. The
    conditions can be combined.

      --planted-race            makes a data race, which Thread Sanitizer must report
      --planted-use-after-free  reads freed memory, which Address Sanitizer must report

    Exits with 0 if all checks hold, 1 if not, 2 after a hang, 64 for a wrong argument.
    """
}
