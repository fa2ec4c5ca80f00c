import AsyncChannels
import Synchronization

/// What one call reports: how many turns it has that are neither over nor superseded.
final class Busy: Sendable {
  private static var closed: Int { -1 }

  private let report: BusyReport
  /// Or `closed`. Relaxed: it is touched under the lock of `report` only.
  private let count = Atomic(0)

  init(reportingTo busy: Inlet<Bool>) { report = .joined(busy) }

  func begin() { report.tell { change(by: 1, in: &$0) } }

  func end(_ turns: Int = 1) { report.tell { change(by: -turns, in: &$0) } }

  /// Ends all turns, and whatever begins later, without a report.
  func close() {
    report.change { total in
      let count = count.exchange(Self.closed, ordering: .relaxed)
      if count != Self.closed { total -= count }
    }
  }

  func tell() { report.tell() }

  func leave() { report.leave() }

  private func change(by difference: Int, in total: inout Int) {
    let count = count.load(ordering: .relaxed)
    if count == Self.closed { return }
    self.count.store(count + difference, ordering: .relaxed)
    total += difference
  }
}

/// What is reported to an inlet by all calls that share it: whether one of them has a turn.
private final class BusyReport: Sendable {
  private struct State {
    /// Of all calls that are not closed.
    var turns = 0
    var isReportedBusy = false
    var isBeingReported = false

    /// What to report, for a caller that is to do so.
    mutating func takeReport() -> Bool? {
      isBeingReported = isReportedBusy != (turns > 0)
      guard isBeingReported else { return nil }
      isReportedBusy.toggle()
      return isReportedBusy
    }
  }

  /// By inlet, with the number of calls that share it.
  private static let all = Locked<[Inlet<Bool>: (report: BusyReport, calls: Int)]>([:])

  let inlet: Inlet<Bool>
  private let state = Locked(State())

  private init(to inlet: Inlet<Bool>) { self.inlet = inlet }

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

  /// Changes the number of turns without a report.
  func change(_ change: (_ turns: inout Int) -> Void) {
    state.withLock { change(&$0.turns) }
  }

  /// One caller reports at a time, outside the lock, until what was reported last is true; the
  /// others leave it to that one. So even if turns begin and end on several threads, reports are in
  /// order.
  func tell(after change: (_ turns: inout Int) -> Void = { _ in }) {
    let first = state.withLock { state in
      change(&state.turns)
      return state.isBeingReported ? nil : state.takeReport()
    }
    if let first { send(first) }
  }

  @inline(never)
  private func send(_ first: Bool) {
    var next = Optional(first)
    while let isBusy = next {
      inlet.sendUnspecialized(isBusy)
      next = state.withLock { $0.takeReport() }
    }
  }
}

extension Inlet {
  // Not specialized: this library would have a copy of all that sending does for `Bool` alone.
  @_semantics("optimize.sil.specialize.generic.never")
  fileprivate func sendUnspecialized(_ element: Element) { send(element) }
}
