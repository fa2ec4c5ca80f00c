import Synchronization

/// Asking whether exactly one element was taken, for a ``SplitBinding``.
extension BroadcastLogBase {
  /// Marks the next element that this thread sends.
  ///
  /// Until `endMarking` each send to the log takes the way of one that is observed (`LogFlags`).
  final func beginMarking() -> SentMark {
    let mark = SentMark()
    state.withLock { if $0.marks?.append(mark) == nil { $0.marks = [mark] } }
    return mark
  }

  /// To be called when the send has returned.
  final func endMarking(_ mark: SentMark) {
    state.withLock { state in
      mark.hasReturned = true
      state.noteMarks()
    }
  }

  /// Ends the wait for the marked element. To be called by the one that began it.
  final func forget(_ mark: SentMark) {
    state.withLock { $0.marks?.removeAll { $0 === mark } }
  }

  /// Whether every subscriber has taken the marked element. One that was not sent to this log counts
  /// as taken when its send has returned. A bounded subscriber has taken it when nothing waits for it.
  final func isTaken(_ mark: SentMark) -> Bool {
    state.withLock { state in
      mark.isTaken && state.queues.allSatisfy { $0.count == 0 }
    }
  }
}

extension LogState {
  mutating func noteMarks() {
    set(.marked, to: marks?.contains { !$0.hasReturned } ?? false)
  }

  /// To be called when an element was added.
  func fillMark() {
    let thread = CurrentThread.identifier
    let mark = marks?.first { mark in
      if case .notSent = mark.place { mark.thread == thread && !mark.hasReturned } else { false }
    }
    guard let mark else { return }
    guard readers > 0, let end else { return mark.place = .taken }
    end.segment.retain()
    mark.place = .slot(end.segment, index: end.index - 1)
  }
}
