/// Runs two to six parts until all have returned: what a `run()` of several loops comes to.
///
/// ```swift
/// func run() async {
///   await together(
///     { await self._query.received.answer(.latestOnly, by: self.search) { self.hits = $0 } },
///     { await self.$rows.runningEach() },
///     { for await item in self._remove.received { self.remove(item) } })
/// }
/// ```
///
/// Each part runs in a child task, in the isolation in which its closure was made, which on an actor is the
/// caller's. They begin in any order. Cancelling the caller's task cancels all of them, and this returns when all have returned. There is no loose task: no part outlives
/// the call. A part that returns does not end the others.
///
/// Costs six tasks.
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
    group.addTask { await first() }
    group.addTask { await second() }
    group.addTask { await third() }
    group.addTask { await fourth() }
    group.addTask { await fifth() }
    group.addTask { await sixth() }
  }
}

/// Runs several parts until all have returned, or one of them throws.
///
/// If a part throws, the others are cancelled, and the error is thrown when they have returned. The rest is as
/// with parts that do not throw.
///
/// - Throws: The first error, in the order of time.
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
    group.addTask { try await first() }
    group.addTask { try await second() }
    group.addTask { try await third() }
    group.addTask { try await fourth() }
    group.addTask { try await fifth() }
    group.addTask { try await sixth() }
  }
}
