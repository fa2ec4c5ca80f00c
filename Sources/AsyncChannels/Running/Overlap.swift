/// What becomes of an input that arrives while an earlier one is still being worked on.
///
/// See ``_Concurrency/AsyncSequence/answer(_:after:clock:busy:isBusyInPause:ignored:by:publish:)-(_,_,_,_,_,_,_,(Answer)->Void)``.
public enum Overlap: Sendable, Hashable, CaseIterable {
  /// It waits: inputs are worked on one after the other, in order, and each is answered.
  case oneAtATime

  /// It replaces the earlier one, whose work is cancelled. If that answers nevertheless, its answer
  /// is discarded, so an older answer is never published after a newer one.
  case latestOnly

  /// It is ignored: nothing that comes before the earlier one's answer is published is worked on, for a
  /// button that is tapped twice. Each ignored input is sent to the inlet that is given for that. With
  /// `after:`, an input counts as having come when its quiet is over; those before it are superseded.
  case firstOnly

  /// Both are worked on simultaneously, and each answer is published as soon as it comes, in any
  /// order.
  case concurrent
}
