import Synchronization

/// Where consumers run: half of them outside of any isolation, the others on two actors. Whoever
/// sleeps in an isolation waits for its actor on the way there and back, and may be cancelled there.
public actor IsolationPool {
  private static let actors = [IsolationPool(), IsolationPool()]
  private static let given = Atomic(0)

  /// The next consumer's; nil for none.
  public static func next() -> (any Actor)? {
    let number = given.wrappingAdd(1, ordering: .relaxed).oldValue
    return number.isMultiple(of: 2) ? nil : actors[number / 2 % actors.count]
  }
}
