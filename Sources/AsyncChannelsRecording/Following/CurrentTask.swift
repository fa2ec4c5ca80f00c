/// What this package needs of the running task.
package enum CurrentTask {
  /// A number that no other task of the program has, ever; nil outside of tasks.
  ///
  /// The address of a task is used again when it has ended, and then a new task would pass for the
  /// old one.
  package static var number: UInt64? {
    withUnsafeCurrentTask { task in
      guard let task else { return nil }
      return taskNumber(unsafeBitCast(task, to: UnsafeRawPointer.self))
    }
  }
}

/// The number that debuggers show. The runtime exports it for all tasks (since 5.9), and the standard
/// library has no name for it. It reads a constant of the task, which is running and so alive.
@_silgen_name("swift_task_getJobTaskId")
private func taskNumber(_ task: UnsafeRawPointer) -> UInt64
