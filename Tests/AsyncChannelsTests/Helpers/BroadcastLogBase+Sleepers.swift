import Synchronization

@testable import AsyncChannels

extension BroadcastLogBase {
  /// How many doorbells wait to be rung.
  var sleeperCount: Int { state.withLock { $0.waiting.count } }
}
