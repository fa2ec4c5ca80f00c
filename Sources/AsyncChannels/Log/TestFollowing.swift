import Synchronization

/// Hears of what is made and run in a test that owns the time.
package protocol TestFollower: AnyObject, Sendable {
  /// A log was made, and nobody knows it yet.
  func made(_ log: BroadcastLogBase)
  /// An object with channels begins to run.
  func runs(_ object: any AnyObject & Sendable)
}

/// Who hears of that, if a test owns the time of what runs now. Else, this costs one load.
package enum TestFollowing {
  private static let follower = Locked<(any TestFollower)?>(nil)

  package static func follow(by new: (any TestFollower)?) {
    follower.withLock { $0 = new }
  }

  package static var current: (any TestFollower)? {
    CurrentThread.isInTestTime ? follower.withLock { $0 } : nil
  }
}
