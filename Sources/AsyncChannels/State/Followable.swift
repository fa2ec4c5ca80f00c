/// What is found in an object and can be followed by observers.
package protocol Followable {
  /// Nil if it has nothing of its own to be followed: what it is made of has.
  var followedSource: FollowedSource? { get }
}

/// A log, or an inlet that was made with a function, and what it is to its owner.
package struct FollowedSource {
  package enum Kind: Sendable {
    /// Of an owner's input, only the owner can take.
    case input, state, channel, inlet
  }

  package let kind: Kind
  package let followed: any Followed
  /// The value of a state; nil while it is changed in place.
  package var current: Any?
}

/// A log alone, for who does not know what it is to its owner.
extension BroadcastLogBase: Followable {
  package final var followedSource: FollowedSource? {
    FollowedSource(kind: .channel, followed: self)
  }
}

extension Channel: Followable {
  package var followedSource: FollowedSource? { FollowedSource(kind: .channel, followed: log) }
}

extension Input: Followable {
  package var followedSource: FollowedSource? {
    inlet.log.map { FollowedSource(kind: .input, followed: $0) }
  }
}

extension Output: Followable {
  package var followedSource: FollowedSource? { channel.followedSource }
}

extension CurrentValue: Followable {
  package var followedSource: FollowedSource? {
    FollowedSource(kind: .state, followed: log, current: log.newest)
  }
}

extension Outlet: Followable {
  package var followedSource: FollowedSource? {
    guard case .log(let log) = source else { return nil }
    return FollowedSource(kind: .channel, followed: log)
  }
}

extension StateOutlet: Followable {
  package var followedSource: FollowedSource? {
    guard case .state(let root) = source else { return nil }
    return FollowedSource(kind: .state, followed: root.log, current: root.log.newest)
  }
}

extension Inlet: Followable {
  /// A derived inlet comes before the channel behind it.
  package var followedSource: FollowedSource? {
    switch target {
    case .log(let log): FollowedSource(kind: .channel, followed: log)
    case .function(let function): FollowedSource(kind: .inlet, followed: function.made)
    }
  }
}
