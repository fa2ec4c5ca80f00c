/// What a consumer does with its subscription, apart from taking what is there.
package enum ConsumerStep: Sendable {
  case cancelled, displaced
  /// With `Subscription.next()`: a script rather than a loop.
  case takesByHand
  /// What it took is no longer worked on.
  case endsLoop
}
