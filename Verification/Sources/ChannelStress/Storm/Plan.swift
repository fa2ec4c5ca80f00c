import AsyncChannels
import Proof

/// What a storm is made of, by chance.
struct Plan: Sendable {
  let replays: Int
  let senders: Int
  /// How many elements each of them sends.
  let each: Int
  /// Whose places are taken before the first element; one for each, with its policy.
  let steady: [BufferingPolicy]
  let relays: [BufferingPolicy]
  let stuck: [BufferingPolicy]
  let churners: Int
  /// Once so many are sent the channel ends, whatever is going on. Nil: when all else is done.
  let endsAfter: Int?
  let endsByDropping: Bool

  init(_ random: inout SplitMix64) {
    replays = random.pick([0, 0, 1, 3, 20])
    // Sometimes a crowd that is rung by the ringer in long lines.
    let isCrowd = random.oneIn(10)
    senders = random.number(1...4)
    each = isCrowd ? random.number(20...100) : random.number(200...4_000)
    func policies(_ count: ClosedRange<Int>) -> [BufferingPolicy] {
      (0..<random.number(count)).map { _ in Self.policy(&random) }
    }
    steady = [.unbounded] + (isCrowd ? policies(200...500) : policies(3...40))
    relays = policies(0...4)
    stuck = policies(0...4)
    churners = random.number(0...4)
    endsAfter = random.oneIn(2) ? random.number(1...senders * each) : nil
    endsByDropping = random.oneIn(2)
  }

  /// Those whose places are taken at the beginning and kept to the end.
  var permanent: Int { steady.count + relays.count + stuck.count }

  static func policy(_ random: inout SplitMix64) -> BufferingPolicy {
    switch random.number(0...5) {
    case 0: .bufferingNewest(random.pick([1, 2, 10, 100]))
    case 1: .bufferingOldest(random.pick([1, 2, 10, 100]))
    default: .unbounded
    }
  }
}
