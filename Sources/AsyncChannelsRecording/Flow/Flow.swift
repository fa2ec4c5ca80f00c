package import AsyncChannels

/// What was recorded, as it was when it was asked for: the model of every text and picture.
package struct Flow: Sendable {
  /// A channel, a state or an inlet.
  package struct Lane: Sendable {
    package let name: String
    /// What it belongs to: the type of the object that stores it, or the name it was added under.
    package let owner: String
    package let kind: LaneKind
    /// The value that a state had before the oldest event, as far as it is known.
    package var value: String?
  }

  package typealias LaneKind = FollowedSource.Kind

  package enum Kind: Sendable, Hashable {
    case sent, taken, dropped, subscribed, left, cancelled, displaced, finished
    case superseded, ignored, abandoned, refused
  }

  package struct Event: Sendable {
    /// Ascending, in the order of recording.
    package let id: Int
    package let kind: Kind
    package let lane: Int
    /// Since the recording began.
    package let time: Duration
    /// The event that sent the element that this is about; its own number if it is that one.
    package var element: Int?
    /// The event that sent the element by which this was caused.
    package var cause: Int?
    /// Counted from 1 in each lane.
    package var subscription: Int?
    /// How many subscribers an element was sent to.
    package var receivers = 0
    /// The lanes of the inlets that it came through, the first one first.
    package var inlets: [Int] = []
    /// The task that did it, or the thread.
    package var actor: UInt64 = 0
    /// The element in words.
    package var text = ""
    /// When a consumer that took an element asked for the next one, as far as the recording has heard.
    package var done: Duration?
  }

  package var lanes: [Lane]
  package var events: [Event]
  /// How many earlier events there is no room for any more.
  package private(set) var leftOut: Int
  /// The objects in which nothing to record was found.
  package let empties: [String]
  /// What was not looked at whole, in sentences.
  package let cuts: [String]

  /// The end of a flow that is too long for a picture.
  package func keeping(newest limit: Int) -> Flow {
    guard events.count > limit else { return self }
    var flow = self
    flow.events = events.suffix(limit)
    flow.leftOut += events.count - limit
    return flow
  }

  /// How many there is no room for, in words; nil if there is nothing to tell.
  package var leftOutWords: String? {
    switch leftOut {
    case 0: nil
    case 1: "1 earlier event was left out"
    default: "\(leftOut) earlier events were left out"
    }
  }
}
