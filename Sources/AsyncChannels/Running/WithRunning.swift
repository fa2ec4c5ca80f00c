/// Runs view models for the length of a closure.
///
/// ```swift
/// await withRunning(summary, list) {
///   list.remove.send(member)
///   …
/// }
/// ```
///
/// Each runs in a child task. When the closure returns or throws, they are cancelled, and this
/// returns once they have returned. A view model whose `run()` returns earlier does not end the
/// others, nor the closure.
@MainActor @discardableResult
public func withRunning<Output, Failure: Error>(
  _ viewModels: any ViewModel..., body: @MainActor () async throws(Failure) -> Output
) async throws(Failure) -> Output {
  try await withRunning(all: viewModels.map { viewModel in { await viewModel.run() } }, body: body)
}

/// Runs anything else that runs, a manager for example, for the length of a closure.
///
/// ```swift
/// await withRunning(manager.run) { … }
/// ```
///
/// It runs in a child task. When the closure returns or throws, it is cancelled, and this returns
/// once it has returned.
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
  let result: Result<Output, Failure> = await withDiscardingTaskGroup { group in
    for run in runs { group.addTask { await run() } }
    defer { group.cancelAll() }
    do throws(Failure) {
      return .success(try await body())
    } catch {
      return .failure(error)
    }
  }
  return try result.get()
}
