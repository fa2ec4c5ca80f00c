import Synchronization

/// What differs between two values of a state with rows: what lies between their common beginning and their
/// common end.
@frozen @usableFromInline
struct RowChanges<ID: Hashable, Element> {
  /// Some may come back in the same change.
  @usableFromInline let gone: [ID]
  @usableFromInline let come: [(id: ID, element: Element)]

  /// - Parameter known: The identities of the value before, and after this those of the new one.
  @inlinable
  init<Value: Sequence<Element>>(
    from known: inout [ID], to value: Value, by id: (Element) -> ID
  ) {
    var same = 0
    var come: [(id: ID, element: Element)] = []
    for element in value {
      let new = id(element)
      if come.isEmpty, same < known.count, known[same] == new {
        same += 1
      } else {
        come.append((new, element))
      }
    }
    var end = known.count
    while end > same, let last = come.last, last.id == known[end - 1] {
      // What keeps its identity is not needed.
      come.removeLast()
      end -= 1
    }
    gone = Array(known[same..<end])
    known.replaceSubrange(same..<end, with: come.lazy.map(\.id))
    self.come = come
  }
}

/// Which identities are there, how often, and by what number what runs for them is known.
struct Rows<ID: Hashable> {
  private struct Row {
    var count = 0
    var number: Int?
  }

  private var rows: [ID: Row] = [:]
  private var lastNumber = 0

  /// Returns the numbers of what is not there any more.
  mutating func apply(_ gone: [ID], _ come: [(id: ID, element: some Any)]) -> [Int] {
    for (id, _) in come { rows[id, default: Row()].count += 1 }
    return gone.compactMap { id in
      rows[id]?.count -= 1
      guard let row = rows[id], row.count == 0 else { return nil }
      rows[id] = nil
      return row.number
    }
  }

  /// A number for what is to be begun; nil if it runs already, or has returned by itself.
  mutating func begin(_ id: ID) -> Int? {
    guard let row = rows[id], row.number == nil else { return nil }
    lastNumber += 1
    rows[id]?.number = lastNumber
    return lastNumber
  }
}

/// What runs for rows. It is cancelled inside `cancel()`, in one step: a task that is added later is cancelled
/// at once.
final class RowTasks: Sendable {
  private struct State {
    var isClosed = false
    var tasks: [Int: Task<Void, Never>] = [:]
  }

  private let state = Locked(State())

  func add(_ task: Task<Void, Never>, _ number: Int) {
    let isClosed = state.withLock { state in
      state.tasks[number] = task
      return state.isClosed
    }
    if isClosed { task.cancel() }
  }

  func cancel(_ number: Int) {
    state.withLock { $0.tasks.removeValue(forKey: number) }?.cancel()
  }

  func close() {
    let tasks = state.withLock { state in
      state.isClosed = true
      return state.tasks
    }
    for task in tasks.values { task.cancel() }
  }
}
