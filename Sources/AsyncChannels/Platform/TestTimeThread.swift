import Synchronization

// Which thread runs a test in its own time.
extension CurrentThread {
  /// The thread whose jobs a test runs one by one, while one runs; zero for none.
  private static let ownedByTest = Atomic<UInt>(0)

  /// Whether a test owns the time of what runs now. Relaxed: a thread finds its own number only if it stored it.
  package static var isInTestTime: Bool {
    let owned = ownedByTest.load(ordering: .relaxed)
    return owned != 0 && owned == identifier
  }

  /// Runs a job, or what makes some, in the time of a test.
  package static func inTestTime<Value>(_ body: () -> Value) -> Value {
    ownedByTest.store(identifier, ordering: .relaxed)
    defer { ownedByTest.store(0, ordering: .relaxed) }
    return body()
  }
}
