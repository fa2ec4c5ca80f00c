/// What was done so far.
struct Figures: Sendable {
  /// How many races there were, and how many of them were seen to be won by the first named.
  struct Tally: Sendable {
    var races = 0
    var firstWon = 0

    static func += (sum: inout Tally, other: Tally) {
      sum.races += other.races
      sum.firstWon += other.firstWon
    }
  }

  var rounds = 0
  var storm = Storm.Figures()
  var cancelSend = Tally()
  var finishSubscribe = Tally()
  var cancelFinish = Tally()
  var dropSend = Tally()
  var signOffHandOver = Tally()

  func line(seconds: Int64) -> String {
    """
    \(rounds) rounds, \(storm.deliveries) deliveries, \(storm.dropped) drops, \
    \(storm.subscriptions) subscriptions, \(storm.handOvers) hand-overs; races: \
    cancel-send \(text(cancelSend)), finish-subscribe \(text(finishSubscribe)), \
    drop-send \(text(dropSend)), cancel-finish \(cancelFinish.races), \
    sign-off-hand-over \(signOffHandOver.races); \(seconds) s
    """
  }

  private func text(_ tally: Tally) -> String {
    "\(tally.races) (\(tally.firstWon) the one way, \(tally.races - tally.firstWon) the other)"
  }
}
