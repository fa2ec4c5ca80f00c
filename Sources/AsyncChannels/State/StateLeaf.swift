/// A state that derived state is made of, in one graph.
protocol AnyStateLeaf: AnyStateCell {
  /// Subscribes, as one of those that are taken as one.
  func subscribe(buffering policy: BufferingPolicy?, mergedAt place: MergePlace) -> LogCursor
  /// Goes on with the subscription of a leaf for the same state.
  func replace(_ other: any AnyStateLeaf)
  /// Takes the value that there is now, and tells Observation of it if it may wait. If it may not, and somebody changes the
  /// value in place, this returns false.
  func read(waiting: Bool) -> Bool
  /// See `MergeTarget`.
  func take(_ change: MergedChange) -> Bool
}

final class StateLeaf<Value: Sendable>: StateCell<Value>, AnyStateLeaf, @unchecked Sendable {
  private let root: StateRoot<Value>
  private var cursor: Cursor<Value>?
  /// Values that were replaced with a lock held.
  @exclusivity(unchecked) private var replaced = RingBuffer<Value>()

  init(of root: StateRoot<Value>) {
    self.root = root
    super.init(for: nil, from: [])
  }

  /// It has changed. What was replaced is destroyed with no lock held.
  override func refresh() -> Bool {
    replaced.removeAll()
    return true
  }

  func subscribe(buffering policy: BufferingPolicy?, mergedAt place: MergePlace) -> LogCursor {
    let cursor = root.log.subscribe(buffering: policy, mergedAt: place)
    self.cursor = cursor
    // It is finished: the cursor gives nothing.
    if cursor.isPastTheEnd { _ = read(waiting: false) }
    return cursor
  }

  func replace(_ other: any AnyStateLeaf) {
    let other = unsafeDowncast(other as AnyStateCell, to: StateLeaf<Value>.self)
    cursor = other.cursor
    if other.isKnown { put(other.value(as: Value.self)) }
  }

  func read(waiting: Bool) -> Bool {
    guard let value = waiting ? root.value : root.log.newest else { return false }
    put(value)
    return true
  }

  func take(_ change: MergedChange) -> Bool {
    switch change {
    case .first(let asks):
      makeRoom()
      cursor?.moveFirst(to: typedPlace, asks: asks)
    case .unneeded(let mode):
      guard let old = cursor?.lookAndTake(mode, as: Position.onlyEpoch) else { return false }
      replaced.append(old)
    case .value(let value): put(unsafeDowncast(value, to: Box<Value>.self).value)
    }
    return true
  }

  private func put(_ value: Value) {
    makeRoom()
    typedPlace.initialize(to: value)
  }

  /// The place is filled next.
  private func makeRoom() {
    if isKnown { replaced.moveIn(from: typedPlace) }
    isKnown = true
  }
}
