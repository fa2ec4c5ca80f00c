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
  private(set) var lastNumber = 0

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

  /// Gives what is to be begun the next number; false if it runs already, or has returned by itself.
  mutating func begin(_ id: ID) -> Bool {
    guard let row = rows[id], row.number == nil else { return false }
    lastNumber += 1
    rows[id]?.number = lastNumber
    return true
  }
}

/// What runs for rows. It is cancelled inside `cancel()`, in one step: a task that is added later is cancelled
/// at once.
final class RowTasks: Sendable {
  private struct State {
    var isClosed = false
    var tasks: [Int: Task<Void, Never>] = [:]
  }

  /// What a change of the rows asks for.
  struct Step {
    /// The numbers of what is not there any more.
    let gone: [Int]
    /// The numbers of what has come.
    let come: Range<Int>
  }

  private let state = Locked(State())

  /// Returns at the end of the steps, or when the task is cancelled, when all runs have returned. Knows nothing of the
  /// rows' types: generic code looks them up at each step, and is much larger.
  ///
  /// - Parameters:
  ///   - next: Waits for the next change.
  ///   - begin: Begins to run one of those that have come, by its place among them.
  func run(
    isolation: isolated (any Actor)?, _ next: () async -> Step?,
    beginning begin: (Int) -> Task<Void, Never>
  ) async {
    await withTaskCancellationHandler {
      await withDiscardingTaskGroup { group in
        // A closure that does not name the isolation has none.
        _ = isolation
        while let step = await next() {
          var budget = TurnBudget()
          for number in step.gone {
            if budget.isUsedUp() { await budget.pause() }
            cancel(number)
          }
          for (index, number) in step.come.enumerated() {
            if budget.isUsedUp() { await budget.pause() }
            let task = begin(index)
            add(task, number)
            group.addTask { await task.value }
          }
        }
      }
    } onCancel: {
      close()
    }
  }

  @inline(never)
  private func add(_ task: Task<Void, Never>, _ number: Int) {
    let isClosed = state.withLock { state in
      state.tasks[number] = task
      return state.isClosed
    }
    if isClosed { task.cancel() }
  }

  @inline(never)
  private func cancel(_ number: Int) {
    state.withLock { $0.tasks.removeValue(forKey: number) }?.cancel()
  }

  private func close() {
    let tasks = state.withLock { state in
      state.isClosed = true
      return state.tasks
    }
    for task in tasks.values { task.cancel() }
  }
}
