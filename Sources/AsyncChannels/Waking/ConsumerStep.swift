/// What a consumer does with its subscription, apart from taking what is there.
package enum ConsumerStep: Sendable {
  case cancelled, displaced
  /// With `Subscription.next()`: a script rather than a loop.
  case takesByHand
  /// It does not work any longer on what it took: its loop has ended, or asks for more.
  case endsStep
}
