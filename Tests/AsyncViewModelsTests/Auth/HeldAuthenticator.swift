import AsyncChannels
import AsyncChannelsTesting
import AsyncViewModels
import Synchronization
import TestSupport

/// Answers each user when a test says so, in whatever order, and tells what it is asked.
final class HeldAuthenticator: Authenticator {
  /// User names, as requests begin, are cancelled, and return.
  let begun: Probe<String>
  let cancelled: Probe<String>
  let returned: Probe<String>

  private struct State {
    var gates: [String: Gate] = [:]
    var isOpen = false
    var running = 0
    var mostRunning = 0
  }

  private let state = Locked(State())
  private let begins = Channel<String>()
  private let cancels = Channel<String>()
  private let returns = Channel<String>()
  private let isStubborn: Bool

  /// - Parameter isStubborn: Whether it answers as if nothing had happened when it is cancelled,
  ///   and only when it is told to.
  init(isStubborn: Bool = false) {
    self.isStubborn = isStubborn
    begun = Probe(begins.outlet)
    cancelled = Probe(cancels.outlet)
    returned = Probe(returns.outlet)
  }

  /// The largest number of requests that were under way at once.
  var mostRunning: Int { state.withLock { $0.mostRunning } }

  /// Lets all requests of this user go, past and future ones.
  func answer(_ username: String) {
    gate(username).open()
  }

  /// Lets everybody go, so that a test that failed ends.
  func answerAll() {
    let gates = state.withLock { state in
      state.isOpen = true
      return Array(state.gates.values)
    }
    for gate in gates { gate.open() }
  }

  func authenticate(_ credentials: Credentials) async throws(AuthError) -> Token {
    let name = credentials.username
    state.withLock { state in
      state.running += 1
      state.mostRunning = max(state.mostRunning, state.running)
    }
    defer {
      state.withLock { $0.running -= 1 }
      returns.send(name)
    }
    let gate = gate(name)
    begins.send(name)
    await withTaskCancellationHandler {
      await gate.pass()
    } onCancel: {
      cancels.send(name)
      if !isStubborn { gate.open() }
    }
    if Task.isCancelled, !isStubborn { throw .cancelled }
    if name == "stranger" { throw .wrongCredentials }
    return Token("token of \(name)")
  }

  private func gate(_ name: String) -> Gate {
    state.withLock { state in
      let gate = state.gates[name] ?? Gate()
      if state.isOpen { gate.open() }
      state.gates[name] = gate
      return gate
    }
  }
}

extension Credentials {
  static func of(_ username: String) -> Credentials {
    Credentials(username: username, password: "secret")
  }
}

extension Result<Token, AuthError> {
  static func token(of username: String) -> Self { .success(Token("token of \(username)")) }
}

typealias SignInResults = Probe<Result<Token, AuthError>>

/// A view model, the authenticator that holds its requests, and its results.
@MainActor
func heldSignIn(
  _ overlap: Overlap = .oneAtATime, isStubborn: Bool = false
) -> (AuthViewModel, HeldAuthenticator, SignInResults) {
  let authenticator = HeldAuthenticator(isStubborn: isStubborn)
  let viewModel = AuthViewModel(authenticator: authenticator, overlap: overlap)
  return (viewModel, authenticator, Probe(viewModel.signInResult))
}

/// Runs them for the length of a closure.
@MainActor
func signingIn(
  _ overlap: Overlap = .oneAtATime, isStubborn: Bool = false,
  _ body: @MainActor (AuthViewModel, HeldAuthenticator, SignInResults) async throws -> Void
) async throws {
  let (viewModel, authenticator, results) = heldSignIn(overlap, isStubborn: isStubborn)
  try await withRunning(viewModel) {
    defer { authenticator.answerAll() }
    try await body(viewModel, authenticator, results)
  }
}
