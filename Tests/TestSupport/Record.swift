import AsyncChannels
import Synchronization

/// What happened, in the order in which it did, wherever it did.
package final class Record<Event: Sendable>: Sendable {
  private let list = Locked<[Event]>([])

  package init() {}

  package var events: [Event] { list.withLock { $0 } }

  package var count: Int { list.withLock { $0.count } }

  package func add(_ event: Event) {
    list.withLock { $0.append(event) }
  }

  /// Gives what happened since it was asked last.
  package func take() -> [Event] {
    list.withLock { list in
      defer { list = [] }
      return list
    }
  }
}
