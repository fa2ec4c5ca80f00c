/// Runs view models while a closure runs. Use it in a test, or in `main`.
///
/// ```swift
/// await withRunning(summary, list) {
///   list.remove.send(member)
///   …
/// }
/// ```
///
/// Each view model runs in a child task. When the closure returns or throws, the runs are cancelled, and the
/// call returns when they have returned. If one `run()` returns earlier, the others and the closure continue.
@MainActor @discardableResult
public func withRunning<Output, Failure: Error>(
  _ viewModels: any ViewModel..., body: @MainActor () async throws(Failure) -> Output
) async throws(Failure) -> Output {
  for viewModel in viewModels { viewModel.tellFollowers() }
  return try await withRunning(
    all: viewModels.map { viewModel in { await viewModel.run() } }, body: body)
}

/// Runs a function, such as the `run()` of a manager, while a closure runs.
///
/// ```swift
/// await withRunning(manager.run) { … }
/// ```
///
/// The function runs in a child task. When the closure returns or throws, the function is cancelled, and the
/// call returns when it has returned.
@discardableResult
public func withRunning<Output, Failure: Error>(
  _ run: @escaping @Sendable () async -> Void, isolation: isolated (any Actor)? = #isolation,
  body: () async throws(Failure) -> Output
) async throws(Failure) -> Output {
  try await withRunning(all: [run], body: body)
}

private func withRunning<Output, Failure: Error>(
  all runs: [@Sendable () async -> Void], isolation: isolated (any Actor)? = #isolation,
  body: () async throws(Failure) -> Output
) async throws(Failure) -> Output {
  // A discarding group rethrows nothing, and a throwing one forgets the error's type.
  let result = await withDiscardingTaskGroup { group in
    for run in runs { group.addTask { await run() } }
    defer { group.cancelAll() }
    return await Result(catching: body)
  }
  return try result.get()
}
