public import AsyncChannels

/// Listens to an outlet while a closure runs, then fails if any element was left unchecked.
///
/// ```swift
/// try await withProbe(of: viewModel.signInResult) { results in
///   viewModel.signIn.send(credentials)
///   try await results.expect(.success(Token("abc")))
/// }
/// ```
///
/// It is a ``Probe`` that finishes itself. If the closure throws, that error is thrown, and unchecked elements do
/// not matter.
///
/// - Throws: The error of the closure. If there is none, the error of ``Probe/finish(fileID:line:)``, with
///   the place of this call.
/// - Returns: The result of the closure.
@discardableResult
public func withProbe<Element: Sendable, Value>(
  of outlet: Outlet<Element>, isolation: isolated (any Actor)? = #isolation,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
  _ body: (Probe<Element>) async throws -> Value
) async throws -> Value {
  let probe = Probe(outlet, filePath: filePath, line: line)
  let value = try await body(probe)
  await TestTime.current?.idle()
  try probe.finish(fileID: fileID, line: line)
  return value
}

/// Listens to state while a closure runs, as to an outlet. The first element is the current value.
@discardableResult
public func withProbe<Element: Sendable, Value>(
  of state: StateOutlet<Element>, isolation: isolated (any Actor)? = #isolation,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
  _ body: (Probe<Element>) async throws -> Value
) async throws -> Value {
  try await withProbe(of: state.outlet, fileID: fileID, filePath: filePath, line: line, body)
}
