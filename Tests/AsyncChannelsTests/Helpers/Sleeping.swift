@testable import AsyncChannels

extension Subscription {
  /// Consumes in a task on this executor, which is asleep when this returns if there is nothing to
  /// take.
  func sleeping(on executor: ManualTaskExecutor) -> Task<Void, Never> {
    let task = Task(executorPreference: executor) { for await _ in self {} }
    executor.drain()
    return task
  }
}
