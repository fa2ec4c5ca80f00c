/// What a wait throws when its time is over.
package struct DeadlineExceeded: Error, CustomStringConvertible {
  package let description: String
}

/// Runs an operation that must end within `limit`. The test goes on when the time is over, even if
/// the operation does not react to cancellation. If it ended in time, nothing it captured is held
/// any more.
package func within<Value: Sendable>(
  _ limit: Duration = .seconds(20), _ what: String = "the operation",
  _ operation: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  let (results, continuation) = AsyncStream.makeStream(of: Result<Value, any Error>?.self)
  let work = Task {
    do {
      continuation.yield(.success(try await operation()))
    } catch {
      continuation.yield(.failure(error))
    }
  }
  let timer = Task {
    try await ContinuousClock().sleep(until: .now + limit)
    continuation.yield(nil)
  }
  defer {
    work.cancel()
    timer.cancel()
  }
  for await result in results {
    guard let result else { throw DeadlineExceeded(description: "\(what) took over \(limit)") }
    // A task lets go of what it captured when it ends, which is after its last statement.
    await work.value
    return try result.get()
  }
  throw DeadlineExceeded(description: "\(what) was cancelled")
}

extension Task {
  /// Cancels the task, which must end then.
  @discardableResult
  package func cancelAndWait() async throws -> Success {
    cancel()
    return try await within(.seconds(20), "a cancelled task") { try await self.value }
  }
}

/// Lets other tasks run until a condition holds, or throws after `limit`.
package func until(
  _ what: String, limit: Duration = .seconds(20), _ condition: @Sendable () -> Bool
) async throws {
  let deadline = ContinuousClock.now + limit
  while !condition() {
    guard ContinuousClock.now < deadline else {
      throw DeadlineExceeded(description: "\(what) did not come true within \(limit)")
    }
    await Task.yield()
  }
}
