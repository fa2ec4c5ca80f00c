import AsyncChannelsRunning
import AsyncChannelsTesting
import AsyncViewModels
import TestSupport

/// Answers each user after some seconds of a test's clock, and tells what it is asked.
struct SlowAuthenticator: Authenticator {
  /// "+ann", "xann" and "-ann": a request has begun, is cancelled, returns.
  let events = Record<String>()
  private let clock: TestClock
  private let seconds: [String: Int]
  private let isStubborn: Bool

  /// - Parameters:
  ///   - seconds: For how long each user is looked for; one second if it is not said.
  ///   - isStubborn: Whether it goes on, and answers, as if nothing had happened when it is cancelled.
  init(_ clock: TestClock, taking seconds: [String: Int] = [:], isStubborn: Bool = false) {
    self.clock = clock
    self.seconds = seconds
    self.isStubborn = isStubborn
  }

  func authenticate(_ credentials: Credentials) async throws(AuthError) -> Token {
    let name = credentials.username
    events.add("+\(name)")
    defer { events.add("-\(name)") }
    let duration = Duration.seconds(seconds[name] ?? 1)
    await withTaskCancellationHandler {
      if isStubborn {
        await clock.sleepThrough(duration)
      } else {
        try? await clock.sleep(for: duration)
      }
    } onCancel: {
      events.add("x\(name)")
    }
    if Task.isCancelled, !isStubborn { throw .cancelled }
    if name == "stranger" { throw .wrongCredentials }
    return Token("token of \(name)")
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

/// A view model in test time, its authenticator, and what it publishes.
@MainActor
struct SigningIn {
  let time: TestTime
  let viewModel: AuthViewModel
  private let authenticator: SlowAuthenticator
  private let resultProbe: Probe<Result<Token, AuthError>>
  private let phaseProbe: Probe<Bool>

  init(
    _ time: TestTime, _ overlap: Overlap = .oneAtATime, taking seconds: [String: Int] = [:],
    isStubborn: Bool = false
  ) {
    self.time = time
    authenticator = SlowAuthenticator(time.clock, taking: seconds, isStubborn: isStubborn)
    viewModel = AuthViewModel(authenticator: authenticator, overlap: overlap)
    resultProbe = Probe(viewModel.signInResult)
    phaseProbe = Probe(viewModel.isSigningIn)
  }

  var results: [Result<Token, AuthError>] { resultProbe.values }
  var phases: [Bool] { phaseProbe.values }
  var requests: [String] { authenticator.events.events }

  /// Signs in with each, without waiting.
  func send(_ names: String...) {
    for name in names { viewModel.signIn.send(.of(name)) }
  }

  func run() -> Task<Void, Never> {
    Task { [viewModel] in await viewModel.run() }
  }
}
