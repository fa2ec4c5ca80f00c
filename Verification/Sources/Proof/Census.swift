import Synchronization

/// Counts the living elements of one history or one round.
package final class Census: Sendable {
  private let living = Atomic(0)
  private let numbers: Monitor<Set<Int>>?

  /// - Parameter listsNumbers: Whether to know which ones live, and not only how many.
  package init(listsNumbers: Bool = false) {
    numbers = listsNumbers ? Monitor([]) : nil
  }

  package var count: Int { living.load(ordering: .acquiring) }

  /// The numbers of those that live; empty if they are only counted.
  package var alive: Set<Int> { numbers?.withLock { $0 } ?? [] }

  fileprivate func enter(_ number: Int) {
    living.add(1, ordering: .relaxed)
    numbers?.withLock { _ = $0.insert(number) }
  }

  fileprivate func leave(_ number: Int) {
    numbers?.withLock { _ = $0.remove(number) }
    living.subtract(1, ordering: .releasing)
  }
}

/// An element that is counted for as long as it lives.
package final class Tracked: Sendable {
  package let number: Int
  private let census: Census

  package init(_ number: Int, in census: Census) {
    self.number = number
    self.census = census
    census.enter(number)
  }

  deinit {
    census.leave(number)
  }
}
