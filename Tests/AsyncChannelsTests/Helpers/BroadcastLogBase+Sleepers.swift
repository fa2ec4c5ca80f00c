import Synchronization

@testable import AsyncChannels

extension BroadcastLogBase {
  /// How many doorbells wait to be rung.
  var sleeperCount: Int {
    state.withLock { $0.waiting.count + $0.queues.count { $0.place?.isAwaited == true } }
  }
}

extension StateOutlet {
  /// How many sleep that follow it, or another state that is made of the same.
  var sleeperCount: Int { outlet.logs.reduce(0) { $0 + $1.sleeperCount } }
}
