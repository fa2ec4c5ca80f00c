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

    Consumers of a subscription take turns, by cancelling and by displacing. The elements that each of them
    got are checked. On the main actor, a channel's consumers are also compared with those of an
    AsyncStream.

      each-job     an actor and a task executor whose jobs run one by one; the next consumer begins
                   after each k-th job of the one before it
      main-serial  every job of the process runs on the main actor, one after the other, as in tests
                   with a main serial executor
      own-loop     a loop of the program serves the main actor, as in a game or under another user
                   interface; the main dispatch queue is not served

    Exits with 0 if all checks hold, 1 if not, 2 after a hang, 64 for a wrong argument.
    """
}
