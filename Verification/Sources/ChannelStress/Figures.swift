/// What was done so far.
struct Figures: Sendable {
  /// How often two things were let loose on each other, how often they were seen to overlap in time,
  /// and how often the first named was seen to come first.
  struct Tally: Sendable {
    var tries = 0
    var races = 0
    var firstWon = 0

    static func += (sum: inout Tally, other: Tally) {
      sum.tries += other.tries
      sum.races += other.races
      sum.firstWon += other.firstWon
    }
  }

  var rounds = 0
  var storm = Storm.Figures()
  var combinations = 0
  var cancelSend = Tally()
  var finishSubscribe = Tally()
  var cancelFinish = Tally()
  var dropSend = Tally()
  var displaceSend = Tally()
  var sendSleep = Tally()
  var takeTake = Tally()
  var signOffHandOver = Tally()
  var settleLeave = Tally()

  func line(seconds: Int64) -> String {
    """
    \(rounds) rounds, \(storm.deliveries) deliveries, \(storm.dropped) drops, \
    \(storm.subscriptions) subscriptions, \(storm.handOvers) hand-overs; \
    \(combinations) combinations of states; races that overlapped: \
    cancel-send \(text(cancelSend)), displace-send \(text(displaceSend)), \
    finish-subscribe \(text(finishSubscribe)), \
    drop-send \(text(dropSend)), send-sleep \(sendSleep.races), take-take \(takeTake.races), \
    cancel-finish \(cancelFinish.races), \
    sign-off-hand-over \(signOffHandOver.races), settle-leave \(settleLeave.races); \(seconds) s
    """
  }

  private func text(_ tally: Tally) -> String {
    let share = tally.firstWon * 100 / max(1, tally.tries)
    return "\(tally.races) (of \(tally.tries); first named first: \(share) %)"
  }
}
