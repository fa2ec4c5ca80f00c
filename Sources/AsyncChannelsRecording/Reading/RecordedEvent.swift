import AsyncChannels

/// Something that was recorded, without secrets, for a log of your own: see ``Recording/follow(_:)``.
public struct RecordedEvent: Sendable, CustomStringConvertible {
  /// Since the recording began.
  public let time: Duration
  /// The channel or state, with its owner: `AuthViewModel.signIn`.
  public let lane: String
  /// `sent`, `taken`, `dropped`, `superseded`, `ignored`, `abandoned`, `refused`, `finished`, `subscribed`, `left`,
  /// `cancelled` or `displaced`; `missed` for earlier events that there was no time to tell of.
  public let kind: String
  /// The number of the element that it is about, nil if there is none.
  public let element: Int?
  /// The number of the element that caused it, nil if that is not known.
  public let cause: Int?
  /// What was sent; nil for other events.
  public let text: String?
  private let subscription: Int?

  init(_ event: Flow.Event, _ words: String?, in lane: Flow.Lane) {
    time = event.time
    self.lane = lane.title
    kind = "\(event.kind)"
    (element, cause, subscription) = (event.element, event.cause, event.subscription)
    text = event.kind == .sent ? words ?? "…" : nil
  }

  init(missing count: Int, at time: Duration) {
    (self.time, lane, kind, text) = (time, "", "missed", "\(count) events")
    (element, cause, subscription) = (nil, nil, nil)
  }

  /// `12.3 ms AuthViewModel.signIn sent 4 Credentials(…) ← 2`
  public var description: String {
    let parts = [
      "\(time.milliseconds) ms", lane, kind, element.map { "\($0)" },
      text?.printable.clipped(to: 200, ellipsis: "…"), cause.map { "← \($0)" },
      subscription.map { "by subscription \($0)" },
    ]
    return parts.compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: " ")
  }
}

extension Flow.Lane {
  var title: String { (owner.isEmpty ? name : "\(owner).\(name)").printable }
}
