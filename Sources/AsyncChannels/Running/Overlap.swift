/// What becomes of an input that arrives while an earlier one is still being worked on.
///
/// See ``Swift/AsyncSequence/answer(_:busy:by:publish:)``.
public enum Overlap: Sendable, Hashable, CaseIterable {
  /// It waits: one after the other, in order, each answered.
  case oneAtATime

  /// It replaces the earlier one, which is cancelled. Should that answer nevertheless, its answer
  /// is discarded, so an older answer is never published after a newer one.
  case latestOnly

  /// Both are worked on at once, each answered as soon as its answer comes, in whatever order.
  case concurrent
}
