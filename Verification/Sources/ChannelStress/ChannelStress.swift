import Proof

/// Storms and races on channels, round after round.
@main
struct ChannelStress {
  static func main() {
    Arguments.run(usage: Options.usage) { arguments throws(UsageError) in
      let options = try Options(&arguments)
      switch options.planted {
      case .race: Planted.race()
      case .useAfterFree: Planted.useAfterFree()
      case nil: run(options)
      }
    }
  }

  /// In seconds.
  private static let reportInterval: Int64 = 60

  private static func run(_ options: Options) {
    print("seed \(options.seed)")
    options.conditions.make(seed: options.seed)
    Watchdog.start(patience: options.patience)
    let start = ContinuousClock.now
    let lanes = Lanes()
    var figures = Figures()
    var nextReport = reportInterval
    while true {
      let seconds = (ContinuousClock.now - start).components.seconds
      let needsTime = seconds < options.seconds ?? 0
      let needsDeliveries = figures.storm.deliveries < options.deliveries ?? 0
      let needsRaces =
        min(figures.cancelSend.races, figures.finishSubscribe.races) < options.races ?? 0
      guard needsTime || needsDeliveries || needsRaces else {
        return print(figures.line(seconds: seconds))
      }
      if seconds >= nextReport {
        complain(figures.line(seconds: seconds))
        nextReport += reportInterval
      }
      var context = RaceContext(lanes: lanes, seed: options.seed &+ UInt64(figures.rounds))
      if needsTime || needsDeliveries {
        figures.storm += Storm.rage(&context)
        figures.combinations += Combination.rage(&context)
      }
      if needsTime || needsRaces {
        let share = options.conditions.share(of:)
        figures.cancelSend += CancelAgainstSend.race(share(1024), in: &context)
        figures.finishSubscribe += FinishAgainstSubscribe.race(share(1024), in: &context)
        figures.displaceSend += DisplaceAgainstSend.race(share(1024), in: &context)
        figures.cancelFinish += CancelAgainstFinish.race(share(256), in: &context)
        figures.sendSleep += SendAgainstSleep.race(share(1024), in: &context)
        figures.takeTake += TakeAgainstTake.race(share(2048), in: &context)
        figures.dropSend += DropAgainstSend.race(share(256), in: &context)
        figures.settleLeave += SettleAgainstLeave.race(share(256), in: &context)
        figures.signOffHandOver += SignOffAgainstHandOver.race(share(256), in: &context)
      }
      figures.rounds += 1
    }
  }
}
