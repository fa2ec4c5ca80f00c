public import AsyncChannels

/// Listens to an outlet for the length of a closure, and then expects that nothing is there that nobody
/// looked at.
///
/// ```swift
/// try await withProbe(of: viewModel.signInResult) { results in
///   viewModel.signIn.send(credentials)
///   try await results.expect(.success(Token("abc")))
/// }
/// ```
///
/// It is a ``Probe`` that nobody can forget to finish. When the closure throws, that is thrown, and what
/// nobody looked at does not matter.
///
/// - Throws: What the closure throws; else what ``Probe/finish(fileID:line:)`` does, with the place of
///   this call.
/// - Returns: What the closure returns.
@discardableResult
public func withProbe<Element: Sendable, Value>(
  of outlet: Outlet<Element>, isolation: isolated (any Actor)? = #isolation,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
  _ body: (Probe<Element>) async throws -> Value
) async throws -> Value {
  let probe = Probe(outlet, filePath: filePath, line: line)
  let value = try await body(probe)
  try probe.finish(fileID: fileID, line: line)
  return value
}

/// Listens to state for the length of a closure, as to an outlet; the first element is the value there
/// is now.
@discardableResult
public func withProbe<Element: Sendable, Value>(
  of state: StateOutlet<Element>, isolation: isolated (any Actor)? = #isolation,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
  _ body: (Probe<Element>) async throws -> Value
) async throws -> Value {
  try await withProbe(of: state.outlet, fileID: fileID, filePath: filePath, line: line, body)
}
