/// What a consumer finds when it looks for elements.
package enum PollResult: Sendable {
  case readable, finished, nothing
  /// A newer consumer has asked, so that there is nothing any more for this one.
  case displaced
}
