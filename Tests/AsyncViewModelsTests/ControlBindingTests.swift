import AsyncChannelsRunning
import AsyncChannelsTesting
import AsyncViewModels
import XCTest

@MainActor
final class ControlBindingTests: XCTestCase {
  /// Row: binding a control to an input, in a task.
  func test_tapsBoundToAnInputSignInOnceEachInOrder() async throws {
    try await withTestTime { time in
      let auth = SigningIn(time)
      let (taps, button) = AsyncStream.makeStream(of: Credentials.self)
      for name in ["a", "b", "c"] { button.yield(.of(name)) }
      button.finish()
      await taps.bind(to: auth.viewModel.signIn)
      await withRunning(auth.viewModel) { await time.run() }
      XCTAssertEqual(auth.results, [.token(of: "a"), .token(of: "b"), .token(of: "c")])
    }
  }

  /// Row: binding a control to an input, in synchronous code.
  func test_observedTapsSignInUntilTheTokenIsDropped() async throws {
    try await withTestTime { time in
      let auth = SigningIn(time)
      let button = Channel<Credentials>()
      await withRunning(auth.viewModel) {
        var token: CancellationToken? = button.outlet.observe(auth.viewModel.signIn.send)
        button.send(.of("a"))
        button.send(.of("b"))
        await time.run()
        XCTAssertEqual(auth.results, [.token(of: "a"), .token(of: "b")])
        token = nil
        XCTAssertNil(token)
        button.send(.of("c"))
        await time.run()
        XCTAssertEqual(auth.results, [.token(of: "a"), .token(of: "b")])
      }
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
