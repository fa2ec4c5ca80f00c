/// The place of one element in a log: for a sender that has to know whether exactly that element was
/// taken.
///
/// It holds the segment of a slot that some reader has not taken, and such a reader holds that segment, or an
/// earlier one, itself. When all have taken it, it is let go with the next segment, at the latest.
///
/// `@unchecked Sendable`: touched only under the log's lock, and in `deinit`.
final class SentMark: @unchecked Sendable {
  enum Place {
    case notSent
    case slot(Segment, index: Int)
    /// Taken by all readers, or sent to none.
    case taken
  }

  let thread = CurrentThread.identifier
  var place = Place.notSent
  /// Whether the send has returned.
  var hasReturned = false

  deinit { letGo() }

  func letGo() {
    if case .slot(let segment, _) = place { segment.release() }
    place = .taken
  }

  var isTaken: Bool {
    switch place {
    case .notSent: hasReturned
    case .slot(let segment, let index): segment.isRead(at: index)
    case .taken: true
    }
  }
}
