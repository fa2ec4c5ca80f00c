/// What happens to an input that arrives while an earlier one is still being worked on. `answer` takes it as
/// its first argument, or asks each element for it (`overlap:`).
///
/// See ``_Concurrency/AsyncSequence/answer(_:after:clock:busy:isBusyInPause:ignored:by:abandoned:publish:)-(_,_,_,_,_,_,_,_,(Answer)->Void)``.
public enum Overlap: Sendable, Hashable, CaseIterable {
  /// The new input waits. Inputs are worked on one after the other, in order, and each is answered. Use it
  /// for commands.
  case oneAtATime

  /// The new input replaces the earlier one, whose work is cancelled. If the cancelled work returns an
  /// answer, it is discarded, so an older answer is never published after a newer one. Use it for a search.
  case latestOnly

  /// The new input is ignored, until the answer to the earlier one is published. Use it for a button that may
  /// be tapped twice. Each ignored input is sent to the inlet `ignored`. With `after:`, an input counts as
  /// having arrived when its quiet period is over, and those before it are superseded.
  case firstOnly

  /// Both inputs are worked on concurrently, and each answer is published as soon as it is there, in any
  /// order. Use it for independent inputs, such as images to load.
  case concurrent
}
