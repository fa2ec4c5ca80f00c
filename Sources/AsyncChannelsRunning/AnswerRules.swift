import AsyncChannels

/// How a call of `answer` goes about its elements.
struct AnswerRules: Sendable {
  /// Nil if each element has its own.
  let overlap: Overlap?
  /// How many elements are worked on at a time, at most.
  var limit = Int.max
  var pause: Pause?
  let busy: Inlet<Bool>?
  /// Whether busy is reported while the pause lasts, too.
  let isBusyFromArrival: Bool
  /// Whether ignored elements are sent to an inlet.
  let tellsIgnored: Bool
  /// Whether abandoned elements are sent to a closure.
  let tellsAbandoned: Bool

  /// Whether busy stays reported while the next element is ready, and its work will begin.
  var isBusyBetween: Bool { overlap != .firstOnly && (pause == nil || isBusyFromArrival) }

  /// Whether what comes of an answer depends on what is ready then.
  var looksFurther: Bool { supersedesAtArrival || (busy != nil && isBusyBetween) }

  /// Whether what has come supersedes work before it is taken. (Without a debounce it is taken when work may begin.)
  var supersedesAtArrival: Bool { overlap == .latestOnly && pause?.debounces == true }

  /// Whether what is ready when an answer is published is ignored. (What waits for quiet has not come yet.)
  var ignoresReady: Bool { overlap == .firstOnly && pause == nil }

  /// Whether what is ready then is ignored when it is taken, if its overlap says so.
  var notesReady: Bool { mayIgnore && pause == nil }

  var mayIgnore: Bool { overlap == .firstOnly || overlap == nil }

  /// Whether several answers may be there at the same time.
  var mayAnswerTogether: Bool { overlap == .concurrent || overlap == nil }

  /// Whether something is reported in the isolation of `publish` when the call is cancelled.
  var reportsCancelling: Bool { busy != nil || tellsAbandoned }

  /// Whether something is reported in the isolation of `publish` when an element is taken.
  var areReported: Bool { busy != nil || tellsIgnored }
}
