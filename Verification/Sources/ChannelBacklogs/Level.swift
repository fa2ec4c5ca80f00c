import Synchronization

/// A number that several tasks read and write.
final class Level: Sendable {
  private let number = Atomic(0)

  var value: Int {
    get { number.load(ordering: .acquiring) }
    set { number.store(newValue, ordering: .releasing) }
  }
}
