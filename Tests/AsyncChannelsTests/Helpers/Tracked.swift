import Synchronization

/// Counts the living `Tracked` objects of one test.
final class Census: Sendable {
  fileprivate let living = Atomic(0)

  var count: Int { living.load(ordering: .sequentiallyConsistent) }
}

/// An element that says whether it is alive.
final class Tracked: Sendable {
  let number: Int
  private let census: Census
  private let onDeinit: (@Sendable () -> Void)?

  init(_ number: Int, in census: Census, onDeinit: (@Sendable () -> Void)? = nil) {
    self.number = number
    self.census = census
    self.onDeinit = onDeinit
    census.living.add(1, ordering: .sequentiallyConsistent)
  }

  deinit {
    census.living.subtract(1, ordering: .sequentiallyConsistent)
    onDeinit?()
  }
}
