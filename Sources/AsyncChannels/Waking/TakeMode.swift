/// How a consumer takes an element that is there, without waiting.
@usableFromInline
package enum TakeMode: Sendable {
  /// The consumer asks for more, having worked on all that it took before (see `Demand`). Nothing
  /// is taken that was sent after its task was cancelled.
  case next
  /// The consumer gathers one more for the step that it is in. Nothing is taken that was sent after
  /// its task was cancelled.
  case more
  /// As `more`, even if the task is cancelled.
  case evenIfCancelled
  /// As `next`, and only what can be taken immediately: if there is nothing, the consumer asks again.
  case atOnce
  /// It copies the newest element, which stays there, for any epoch.
  case peek
}
