/// Runs two to six closures concurrently until all have returned. Use it for a `run()` with several loops.
///
/// ```swift
/// func run() async {
///   await together(
///     { await self._query.received.answer(.latestOnly, by: self.search) { self.hits = $1 } },
///     { await self.$rows.runEach() },
///     { for await item in self._remove.received { self.remove(item) } })
/// }
/// ```
///
/// Each closure runs in a child task, in the isolation in which it was made, which on an actor is the caller's.
/// The closures begin in any order. Cancelling the caller's task cancels all of them. The call returns when all have
/// returned, so no closure outlives it. A closure that returns does not end the others.
///
/// A call costs six tasks, also with fewer closures.
public func together(
  @_inheritActorContext _ first: @escaping @isolated(any) @Sendable () async -> Void,
  @_inheritActorContext _ second: @escaping @isolated(any) @Sendable () async -> Void,
  @_inheritActorContext _ third: @escaping @isolated(any) @Sendable () async -> Void = {},
  @_inheritActorContext _ fourth: @escaping @isolated(any) @Sendable () async -> Void = {},
  @_inheritActorContext _ fifth: @escaping @isolated(any) @Sendable () async -> Void = {},
  @_inheritActorContext _ sixth: @escaping @isolated(any) @Sendable () async -> Void = {},
  isolation: isolated (any Actor)? = #isolation
) async {
  await withDiscardingTaskGroup { group in
    for part in [first, second, third, fourth, fifth, sixth] { group.addTask { await part() } }
  }
}

/// Runs two to six closures concurrently until all have returned, or one of them throws.
///
/// If a closure throws, the others are cancelled, and the error is thrown when they have returned. Everything else is
/// as with closures that do not throw.
///
/// - Throws: The error that was thrown first.
@_disfavoredOverload
public func together(
  @_inheritActorContext _ first: @escaping @isolated(any) @Sendable () async throws -> Void,
  @_inheritActorContext _ second: @escaping @isolated(any) @Sendable () async throws -> Void,
  @_inheritActorContext _ third: @escaping @isolated(any) @Sendable () async throws -> Void = {},
  @_inheritActorContext _ fourth: @escaping @isolated(any) @Sendable () async throws -> Void = {},
  @_inheritActorContext _ fifth: @escaping @isolated(any) @Sendable () async throws -> Void = {},
  @_inheritActorContext _ sixth: @escaping @isolated(any) @Sendable () async throws -> Void = {},
  isolation: isolated (any Actor)? = #isolation
) async throws {
  try await withThrowingDiscardingTaskGroup { group in
    for part in [first, second, third, fourth, fifth, sixth] {
      group.addTask { try await part() }
    }
  }
}
