import Foundation
import Proof

/// Channels where jobs do not run as usual. Each way changes the whole process, so it is chosen when
/// the program begins.
@main
struct ChannelExecutors {
  static func main() {
    Arguments.run(usage: usage) { arguments throws(UsageError) in
      let way = arguments.next()
      let rounds = 2_000
      switch way {
      case "each-job": EachJob.run()
      case "main-serial": MainSerial.run(rounds: rounds)
      case "own-loop": OwnLoop.run(rounds: rounds)
      case let way: throw .unknown(way ?? "nothing")
      }
    }
  }

  private static let usage = """
    usage: ChannelExecutors each-job | main-serial | own-loop

    Consumers of a subscription take turns, by cancelling and by displacing, and what each got is
    checked; where the main actor is concerned, a channel's consumers are also compared with those of
    an AsyncStream.

      each-job     an actor and a task executor whose jobs run one by one; the next consumer begins
                   after each k-th job of the one before it
      main-serial  every job of the process runs on the main actor, one after the other, as tests
                   with a main serial executor have it
      own-loop     the main actor is served by a loop of the program's own, as in a game or under
                   another user interface; nobody serves the main dispatch queue

    Exits with 0 if all was as it must be, 1 if not, 2 after a hang, 64 for a wrong argument.
    """
}
