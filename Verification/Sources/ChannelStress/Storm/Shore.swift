import AsyncChannels
import Proof
import Synchronization

/// What all in a storm share: the ends of the channel, and how far everybody has come.
///
/// It does not hold the channel, whose owner may drop it at any time.
final class Shore: Sendable {
  /// Whether the channel is finished: `ending` before it is, `ended` once it is.
  enum End: Int, Sendable {
    case notYet, ending, ended
  }

  private final class Progress: Sendable {
    let begun = Atomic(0)
    let sent = Atomic(0)
  }

  let inlet: Inlet<Tracked>
  let outlet: Outlet<Tracked>
  let census: Census
  private let senders: [Progress]
  private let end = Atomic(End.notYet.rawValue)

  init(_ channel: Channel<Tracked>, senders count: Int, _ census: Census) {
    inlet = channel.inlet
    outlet = channel.outlet
    self.census = census
    senders = (0..<count).map { _ in Progress() }
  }

  /// How many sends have begun.
  var begun: Int { senders.reduce(0) { $0 + $1.begun.load(ordering: .relaxed) } }

  func note(_ end: End) {
    self.end.store(end.rawValue, ordering: .sequentiallyConsistent)
  }

  /// Subscribes, and notes what was known just before and just after.
  ///
  /// A send that is not seen to have begun afterwards takes the channel's lock later than the
  /// subscribing did: had it taken it before, the lock would have carried its beginning here.
  func join(_ policy: BufferingPolicy) -> (subscription: Subscription<Tracked>, stay: Stay) {
    let endBefore = end.load(ordering: .sequentiallyConsistent)
    let sentBefore = senders.map { $0.sent.load(ordering: .acquiring) }
    let subscription = outlet.subscribe(buffering: policy)
    let begunAfter = senders.map { $0.begun.load(ordering: .acquiring) }
    let endAfter = end.load(ordering: .sequentiallyConsistent)
    let beginning: Stay.Beginning =
      endBefore == End.ended.rawValue
      ? .afterTheEnd : endAfter == End.notYet.rawValue ? .beforeTheEnd : .unknown
    let stay = Stay(
      policy: policy, sentBefore: sentBefore, begunAfter: begunAfter, beginning: beginning)
    return (subscription, stay)
  }

  /// Sends the elements of one sender. Returns how many were accepted: the first ones.
  func send(
    _ count: Int, as sender: Int, to permanent: ClosedRange<Int>, _ activity: Activity,
    _ random: SplitMix64
  ) async -> Int {
    var random = random
    let progress = senders[sender]
    var accepted = 0
    var untilPause = 0
    for number in 0..<count {
      activity.note("sends", number)
      let code = Identity(sender: sender, number: number).code
      progress.begun.store(number + 1, ordering: .releasing)
      switch inlet.send(Tracked(code, in: census)) {
      case .sent(let subscribers):
        if accepted != number { fail("element \(number) was accepted after one was refused") }
        if !permanent.contains(subscribers) {
          fail("\(subscribers) subscribers, not \(permanent)")
        }
        accepted += 1
      case .finished(let element):
        if element.number != code { fail("sent \(code), and \(element.number) came back") }
        if end.load(ordering: .sequentiallyConsistent) == End.notYet.rawValue {
          fail("an element was refused before the end")
        }
      case .refused: fail("an element was refused by a gate")
      }
      progress.sent.store(number + 1, ordering: .releasing)
      // Readers get to sleep only when nothing comes for a moment.
      if untilPause == 0 {
        await Task.yield()
        untilPause = random.pick([0, 1, 5, 50, 300])
      }
      untilPause -= untilPause > 0 ? 1 : 0
    }
    activity.end()
    return accepted
  }
}
