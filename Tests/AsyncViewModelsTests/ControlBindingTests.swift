import AsyncChannels
import AsyncChannelsTesting
import AsyncViewModels
import TestSupport
import XCTest

@MainActor
final class ControlBindingTests: XCTestCase {
  private let authenticator = HeldAuthenticator()

  /// Row: binding a control to an input, in a task.
  func test_tapsBoundToAnInputSignInOnceEachInOrder() async throws {
    let viewModel = AuthViewModel(authenticator: authenticator)
    let results = Probe(viewModel.signInResult)
    authenticator.answerAll()
    let (taps, button) = AsyncStream.makeStream(of: Credentials.self)
    for name in ["a", "b", "c"] { button.yield(.of(name)) }
    button.finish()
    await taps.bind(to: viewModel.signIn)
    try await withRunning(viewModel) {
      for name in ["a", "b", "c"] { try await results.expect(.token(of: name)) }
      try results.finish()
    }
  }

  /// Row: binding a control to an input, in synchronous code.
  func test_observedTapsSignInUntilTheTokenIsDropped() async throws {
    let viewModel = AuthViewModel(authenticator: authenticator)
    let results = Probe(viewModel.signInResult)
    authenticator.answerAll()
    let button = Channel<Credentials>()
    try await withRunning(viewModel) {
      var token: CancellationToken? = button.outlet.observe(viewModel.signIn.send)
      button.send(.of("a"))
      button.send(.of("b"))
      try await results.expect(.token(of: "a"))
      try await results.expect(.token(of: "b"))
      token = nil
      XCTAssertNil(token)
      button.send(.of("c"))
      viewModel.signIn.send(.of("d"))
      try await results.expect(.token(of: "d"))
      try results.finish()
    }
  }

  /// Row: input with a current value.
  func test_anInputWithACurrentValueIsReadWrittenAndFollowed() async throws {
    let form = NewMemberViewModel(manager: SpyMemberManager())
    let names = Probe(form.$name)
    try await names.expect("")
    form.name = "Ann"
    XCTAssertEqual(form.name, "Ann")
    try await names.expect("Ann")
    let late = Probe(form.$name)
    try await late.expect("Ann")
    try late.finish()
  }
}
