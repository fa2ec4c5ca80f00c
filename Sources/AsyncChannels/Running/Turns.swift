import Synchronization

/// How many turns one call has that are neither over nor superseded.
final class Turns: Sendable {
  private let busy: BusyReport?

  init(reportingTo busy: Inlet<Bool>?) {
    self.busy = busy.map(BusyReport.joined)
    self.busy?.open(ObjectIdentifier(self))
  }

  var areReported: Bool { busy != nil }

  func begin() { busy?.change(ObjectIdentifier(self), by: 1) }

  func end() { busy?.change(ObjectIdentifier(self), by: -1) }

  /// Ends all turns, and whatever begins later, without a report.
  func close() { busy?.close(ObjectIdentifier(self)) }

  func report() { busy?.report() }

  func leave() { busy?.leave() }
}

/// What is reported to an inlet by all calls that share it: whether one of them has a turn.
private final class BusyReport: Sendable {
  private struct State {
    /// How many turns each call has, of those that are not closed.
    var turns: [ObjectIdentifier: Int] = [:]
    var isReportedBusy = false
    var isBeingReported = false

    /// What to report, for a caller that is to do so.
    mutating func takeReport() -> Bool? {
      isBeingReported = isReportedBusy != turns.values.contains { $0 > 0 }
      guard isBeingReported else { return nil }
      isReportedBusy.toggle()
      return isReportedBusy
    }
  }

  /// By inlet, with the number of calls that share it.
  private static let all = Locked<[Inlet<Bool>: (report: BusyReport, calls: Int)]>([:])

  private let inlet: Inlet<Bool>
  private let state = Locked(State())

  private init(to inlet: Inlet<Bool>) {
    self.inlet = inlet
  }

  static func joined(_ inlet: Inlet<Bool>) -> BusyReport {
    all.withLock { all in
      all[inlet, default: (BusyReport(to: inlet), 0)].calls += 1
      return all[inlet]!.report
    }
  }

  func leave() {
    Self.all.withLock { all in
      all[inlet]?.calls -= 1
      if all[inlet]?.calls == 0 { all[inlet] = nil }
    }
  }

  func open(_ call: ObjectIdentifier) {
    state.withLock { $0.turns[call] = 0 }
  }

  func close(_ call: ObjectIdentifier) {
    state.withLock { $0.turns[call] = nil }
  }

  func change(_ call: ObjectIdentifier, by difference: Int) {
    report { $0.turns[call]? += difference }
  }

  func report() {
    report { _ in }
  }

  /// One caller reports at a time, outside the lock, until what was reported last is true; the
  /// others leave it to that one. So even if turns begin and end on several threads, reports are in
  /// order.
  private func report(after change: (inout State) -> Void) {
    var next = state.withLock { state in
      change(&state)
      return state.isBeingReported ? nil : state.takeReport()
    }
    while let isBusy = next {
      inlet.send(isBusy)
      next = state.withLock { $0.takeReport() }
    }
  }
}
