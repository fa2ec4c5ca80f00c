import TestSupport
@testable import AsyncChannels

/// Runs `body` in several tasks at once, and returns what they returned in the order of their numbers.
func concurrently<Value: Sendable>(
  _ count: Int, _ body: @escaping @Sendable (Int) async throws -> Value
) async throws -> [Value] {
  try await within(.seconds(60), "\(count) tasks at once") {
    try await withThrowingTaskGroup(of: (Int, Value).self) { group in
      for number in 0..<count { group.addTask { (number, try await body(number)) } }
      var values: [Int: Value] = [:]
      for try await (number, value) in group { values[number] = value }
      return (0..<count).compactMap { values[$0] }
    }
  }
}

/// Lets other tasks run a number of times: what varies the interleavings of a race.
func giveWay(_ times: Int) async {
  for _ in 0..<times { await Task.yield() }
}

/// Cancels the task that calls it.
func cancelThisTask() {
  withUnsafeCurrentTask { $0?.cancel() }
}

extension Outlet {
  /// Subscribes now, and collects everything in a task.
  func collecting(buffering policy: BufferingPolicy? = nil) -> Task<[Element], any Error> {
    let subscription = subscribe(buffering: policy)
    return Task { try await subscription.collect() }
  }
}

extension StateOutlet {
  /// Subscribes now, and collects everything in a task.
  func collecting(buffering policy: BufferingPolicy? = nil) -> Task<[Value], any Error> {
    outlet.collecting(buffering: policy)
  }
}

extension Subscription {
  /// Consumes in a task that does nothing else, so that cancelling the task is cancelling the loop.
  func consuming() -> Task<[Element], Never> {
    Task {
      var elements: [Element] = []
      for await element in self { elements.append(element) }
      return elements
    }
  }
}

extension Task {
  /// The task's value, which must come.
  func result(within limit: Duration = .seconds(20)) async throws -> Success {
    try await TestSupport.within(limit, "a task") { try await self.value }
  }
}
