import Synchronization

/// Counts the living elements of one measure.
final class Census: Sendable {
  fileprivate let living = Atomic(0)

  var count: Int { living.load(ordering: .sequentiallyConsistent) }
}

/// An element that is counted for as long as it lives.
final class Counted: Sendable {
  /// What one takes in a backlog, about: an allocation, a slot of the log and the slot's count.
  static let bytes = 48 + 8 + 4

  let number: Int
  private unowned(unsafe) let census: Census

  /// - Parameter census: Outlives the element.
  init(_ number: Int, in census: Census) {
    self.number = number
    self.census = census
    census.living.add(1, ordering: .relaxed)
  }

  deinit {
    census.living.subtract(1, ordering: .relaxed)
  }
}

/// A number that several tasks read and write.
final class Level: Sendable {
  private let number = Atomic(0)

  var value: Int {
    get { number.load(ordering: .acquiring) }
    set { number.store(newValue, ordering: .releasing) }
  }
}
