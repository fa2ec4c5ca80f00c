import AsyncChannels
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

/// Which identities are there, how often, and what runs for them.
struct Rows<ID: Hashable> {
  private var rows: [ID: (count: Int, run: Task<Void, Never>?)] = [:]

  /// Returns the runs of what is not there any more.
  mutating func apply(
    _ gone: [ID], _ come: [(id: ID, element: some Any)]
  ) -> [Task<Void, Never>] {
    for (id, _) in come { rows[id, default: (0, nil)].count += 1 }
    return gone.compactMap { id in
      rows[id]?.count -= 1
      return rows[id]?.count == 0 ? rows.removeValue(forKey: id)?.run : nil
    }
  }

  /// Nil if it runs already, or has returned by itself.
  mutating func begin(_ id: ID, _ run: () -> Task<Void, Never>) -> Task<Void, Never>? {
    guard let row = rows[id], row.run == nil else { return nil }
    let run = run()
    rows[id]?.run = run
    return run
  }
}

/// What runs for rows. It is cancelled inside `cancel()`, in one step, in the order in which it began: a task that is
/// added later is cancelled at once.
final class RowTasks: Sendable {
  private struct State {
    var isClosed = false
    /// With the numbers in which they began.
    var tasks: [Task<Void, Never>: Int] = [:]
    var lastNumber = 0
  }

  private let state = Locked(State())

  /// Returns at the end of the steps, or when the task is cancelled, when all runs have returned. Knows nothing of the
  /// rows' types: generic code looks them up at each step, and is much larger.
  ///
  /// - Parameters:
  ///   - next: Waits for the next change: what ran for those that are not there any more, and how many have come.
  ///   - begin: Begins to run one of those that have come, by its place among them; nil if it is not to run.
  func run(
    isolation: isolated (any Actor)?,
    _ next: () async -> (gone: [Task<Void, Never>], come: Int)?,
    beginning begin: (Int) -> Task<Void, Never>?
  ) async {
    await withTaskCancellationHandler {
      await withDiscardingTaskGroup { group in
        // A closure that does not name the isolation has none.
        _ = isolation
        while let step = await next() {
          var budget = LoopBudget()
          for task in step.gone {
            if budget.isUsedUp() { await budget.pause() }
            cancel(task)
          }
          for index in 0..<step.come {
            if budget.isUsedUp() { await budget.pause() }
            guard let task = begin(index) else { continue }
            add(task)
            group.addTask { await task.value }
          }
        }
      }
    } onCancel: {
      close()
    }
  }

  @inline(never)
  private func add(_ task: Task<Void, Never>) {
    let isClosed = state.withLock { state in
      state.lastNumber += 1
      state.tasks[task] = state.lastNumber
      return state.isClosed
    }
    if isClosed { task.cancel() }
  }

  @inline(never)
  private func cancel(_ task: Task<Void, Never>) {
    if state.withLock({ $0.tasks.removeValue(forKey: task) }) != nil { task.cancel() }
  }

  private func close() {
    let tasks = state.withLock { state in
      state.isClosed = true
      return state.tasks
    }
    for (task, _) in tasks.sorted(by: { $0.value < $1.value }) { task.cancel() }
  }
}
