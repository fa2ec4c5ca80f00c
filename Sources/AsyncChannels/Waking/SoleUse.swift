#if DEBUG
  public import Synchronization

  /// Finds two tasks that use the only iterator of a cursor at once. The compiler (6.3.1) lets
  /// `Mutex.withLock { $0 }` hand it to both, without a warning.
  @usableFromInline
  struct SoleUse: ~Copyable, Sendable {
    @usableFromInline let isInUse = Atomic(false)

    @usableFromInline
    func begin(of elementType: Any.Type) {
      guard isInUse.exchange(true, ordering: .acquiring) else { return }
      Diagnostics.programmerError(
        "Two tasks use one iterator of an outlet of \(elementType). An iterator belongs to one task: "
          + "each makes its own, or they share a subscription.")
    }

    @usableFromInline
    func end() {
      isInUse.store(false, ordering: .releasing)
    }
  }
#endif
