/// Lives as long as the iterator of a loop over a subscription. When the loop ends, it tells recordings that what the
/// task sends from now on is not caused by what the loop took. A loop that is left by `break` is not heard of
/// otherwise: its subscription lives on.
///
/// Only loops that begin while somebody follows causes have one. The iterator of an outlet has its
/// subscription to itself, and that tells when it leaves.
@usableFromInline
final class LoopEnd: Sendable {
  private let waiter: Waiter

  private init(over waiter: Waiter) {
    self.waiter = waiter
  }

  @usableFromInline
  static func ofLoop(over waiter: Waiter) -> LoopEnd? {
    Causes.areFollowed ? LoopEnd(over: waiter) : nil
  }

  deinit {
    waiter.note(.endsStep)
  }
}
