import AsyncChannels
import AsyncChannelsRecording

/// What runs that have ended have left, and a later one may wake: tasks, and observers of channels that live on.
struct FormerRuns {
  private struct Former {
    let place: SourceLocation
    /// The line of its observers, as long as there are some.
    weak var observers: ListenerQueue?
    let tasks: Set<UInt64>
    let isAbandoned: Bool
  }

  /// The last ones that have left something.
  private var runs: [Former] = []
  /// The tasks of runs whose closures never returned: what they refer to may be gone, so none runs again.
  private var abandoned: Set<UInt64> = []

  var hasAbandoned: Bool { !abandoned.isEmpty }

  mutating func add(
    _ place: SourceLocation, observers: ListenerQueue?, tasks: some Sequence<UInt64>,
    isAbandoned: Bool
  ) {
    let tasks = Set(tasks)
    if isAbandoned { abandoned.formUnion(tasks) }
    runs.removeAll { $0.observers == nil && $0.tasks.isEmpty }
    if runs.count >= 100 { runs.removeFirst() }
    runs.append(
      Former(place: place, observers: observers, tasks: tasks, isAbandoned: isAbandoned))
  }

  func isAbandoned(_ task: UInt64) -> Bool { abandoned.contains(task) }

  func isAbandoned(_ observers: ListenerQueue) -> Bool {
    runs.contains { $0.observers === observers && $0.isAbandoned }
  }

  /// Where the call stands that made a task; nil if it is not known.
  func place(of task: UInt64) -> SourceLocation? { runs.first { $0.tasks.contains(task) }?.place }

  func place(of observers: ListenerQueue) -> SourceLocation? {
    runs.first { $0.observers === observers }?.place
  }
}
