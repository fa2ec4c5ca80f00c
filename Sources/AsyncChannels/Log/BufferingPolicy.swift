/// How many elements wait for a subscriber that falls behind, and which are dropped. Use `.bufferingNewest(1)`
/// for a view that only draws the newest element.
///
/// A policy belongs to a subscription. A channel has one for subscriptions that do not name their own.
/// With each of them, a slow subscriber delays no sender and costs no other subscriber an element.
///
/// `n` must be greater than zero. Otherwise making a channel or a subscription traps.
public enum BufferingPolicy: Sendable, Hashable {
  /// Keeps every element until it is taken.
  ///
  /// An element is stored once for all unbounded subscribers of a channel. A subscription that is never consumed
  /// keeps all elements that are sent meanwhile.
  case unbounded

  /// Keeps the newest `n` elements: when a new one finds no room, the oldest is dropped.
  case bufferingNewest(Int)

  /// Keeps the oldest `n` elements: while there is no room, new ones are dropped.
  case bufferingOldest(Int)

  @usableFromInline
  func validate(for element: Any.Type) {
    switch self {
    case .bufferingNewest(let count) where count <= 0, .bufferingOldest(let count) where count <= 0:
      Misuse.trap(
        "A subscription to \(element) cannot buffer \(count) elements: it buffers at least 1.")
    case .unbounded, .bufferingNewest, .bufferingOldest: break
    }
  }
}
