import Synchronization

/// The place of one element in a log: for a sender that has to know whether exactly that element was
/// taken.
///
/// It holds the segment of a slot that some reader has not taken, and such a reader holds that segment, or an
/// earlier one, itself. When all have taken it, it is let go with the next segment, at the latest.
///
/// `@unchecked Sendable`: touched only under the log's lock, and in `deinit`.
final class SentMark: @unchecked Sendable {
  fileprivate enum Place {
    case notSent
    case slot(Segment, index: Int)
    /// Taken by all readers, or sent to none.
    case taken
  }

  fileprivate let thread = CurrentThread.identifier
  fileprivate var place = Place.notSent
  /// Whether the send has returned.
  fileprivate var hasReturned = false

  fileprivate init() {}

  deinit { letGo() }

  fileprivate func letGo() {
    if case .slot(let segment, _) = place { segment.release() }
    place = .taken
  }

  fileprivate var isTaken: Bool {
    switch place {
    case .notSent: hasReturned
    case .slot(let segment, let index): segment.isRead(at: index)
    case .taken: true
    }
  }
}

extension BroadcastLogBase {
  /// Marks the next element that this thread sends.
  ///
  /// Until `endMarking` each send to the log takes the way of one that is observed (`LogFlags`).
  final func beginMarking() -> SentMark {
    let mark = SentMark()
    state.withLock { $0.marks.append(mark) }
    return mark
  }

  /// To be called when the send has returned.
  final func endMarking(_ mark: SentMark) {
    state.withLock { state in
      mark.hasReturned = true
      state.noteMarks()
    }
  }

  /// To be called when nobody asks any more.
  final func forget(_ mark: SentMark) {
    state.withLock { state in state.marks.removeAll { $0 === mark } }
  }

  /// Whether every subscriber has taken the marked element. One that was not sent to this log counts
  /// as taken when its send has returned. A bounded subscriber has taken it when nothing waits for it.
  final func isTaken(_ mark: SentMark) -> Bool {
    state.withLock { state in
      mark.isTaken && state.queues.allSatisfy { $0.count == 0 } && (keptQueue?.count ?? 0) == 0
    }
  }
}

extension LogState {
  mutating func noteMarks() {
    set(.marked, to: marks.contains { !$0.hasReturned })
  }

  /// To be called when an element was added.
  func fillMark() {
    let thread = CurrentThread.identifier
    let mark = marks.first { mark in
      if case .notSent = mark.place { mark.thread == thread && !mark.hasReturned } else { false }
    }
    guard let mark else { return }
    guard readers > 0, let end else { return mark.place = .taken }
    end.segment.retain()
    mark.place = .slot(end.segment, index: end.index - 1)
  }

  /// To be called when the log goes on to its next segment.
  func letGoOfTakenMarks() {
    for mark in marks where mark.isTaken { mark.letGo() }
  }
}
