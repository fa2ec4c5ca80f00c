import AsyncChannelsRunning
import AsyncChannelsTesting
import AsyncViewModels
import TestSupport
import XCTest

/// Row: auth view model. Row: inputs and outputs in a protocol.
@MainActor
final class AuthViewModelTests: XCTestCase {
  /// The trap "double authentication".
  func test_itAuthenticatesExactlyOncePerInputHoweverManyListen() async throws {
    try await withTestTime { time in
      let authenticator = SlowAuthenticator(time.clock)
      let viewModel: any AuthViewModelType = AuthViewModel(authenticator: authenticator)
      let listeners = (0..<10).map { _ in Probe(viewModel.signInResult) }
      await withRunning(viewModel) {
        for name in ["ann", "bob", "stranger"] { viewModel.signIn.send(.of(name)) }
        await time.run()
      }
      for listener in listeners {
        XCTAssertEqual(
          listener.values, [.token(of: "ann"), .token(of: "bob"), .failure(.wrongCredentials)])
      }
      XCTAssertEqual(
        authenticator.events.events, ["+ann", "-ann", "+bob", "-bob", "+stranger", "-stranger"])
    }
  }

  func test_itAuthenticatesEvenIfNobodyListens() async throws {
    try await withTestTime { time in
      let authenticator = SlowAuthenticator(time.clock)
      let viewModel = AuthViewModel(authenticator: authenticator)
      await withRunning(viewModel) {
        viewModel.signIn.send(.of("ann"))
        await time.run()
      }
      XCTAssertEqual(authenticator.events.events, ["+ann", "-ann"])
    }
  }

  func test_oneAtATimeAnswersInOrderWhateverAnswersFirst() async throws {
    try await withTestTime { time in
      let auth = SigningIn(time, taking: ["a": 3, "b": 2, "c": 1])
      await withRunning(auth.viewModel) {
        auth.send("a", "b", "c")
        await time.run()
      }
      XCTAssertEqual(auth.results, [.token(of: "a"), .token(of: "b"), .token(of: "c")])
      XCTAssertEqual(auth.requests, ["+a", "-a", "+b", "-b", "+c", "-c"])
    }
  }

  /// The trap "stale answer shown".
  func test_latestOnlyCancelsTheEarlierOneAndNeverShowsItsLateAnswer() async throws {
    try await withTestTime { time in
      let auth = SigningIn(time, .latestOnly, taking: ["old": 2, "new": 1], isStubborn: true)
      await withRunning(auth.viewModel) {
        auth.send("old")
        await time.idle()
        auth.send("new")
        await time.run()
      }
      XCTAssertEqual(auth.results, [.token(of: "new")])
      XCTAssertEqual(auth.requests, ["+old", "xold", "+new", "-new", "-old"])
    }
  }

  func test_latestOnlyDiscardsAnEarlierAnswerThatComesFirst() async throws {
    try await withTestTime { time in
      let auth = SigningIn(time, .latestOnly, taking: ["new": 3], isStubborn: true)
      await withRunning(auth.viewModel) {
        for name in ["old", "older", "new"] {
          auth.send(name)
          await time.idle()
        }
        await time.advance(by: .seconds(1))
        XCTAssertEqual(auth.requests.suffix(2).sorted(), ["-old", "-older"])
        XCTAssertEqual(auth.results, [])
        XCTAssertTrue(auth.viewModel.isSigningIn.value)
        await time.run()
      }
      XCTAssertEqual(auth.results, [.token(of: "new")])
    }
  }

  func test_concurrentGivesTheAnswersAsTheyCome() async throws {
    try await withTestTime { time in
      let auth = SigningIn(time, .concurrent, taking: ["a": 3, "b": 1, "c": 2])
      await withRunning(auth.viewModel) {
        auth.send("a", "b", "c")
        await time.idle()
        XCTAssertEqual(auth.requests.sorted(), ["+a", "+b", "+c"])
        await time.run()
      }
      XCTAssertEqual(auth.results, [.token(of: "b"), .token(of: "c"), .token(of: "a")])
      XCTAssertEqual(auth.requests.suffix(3), ["-b", "-c", "-a"], "none is cancelled")
    }
  }

  func test_aFailureIsAResultAndTheNextInputIsAnswered() async throws {
    try await withTestTime { time in
      for overlap in Overlap.allCases {
        let auth = SigningIn(time, overlap)
        await withRunning(auth.viewModel) {
          for name in ["stranger", "ann"] {
            auth.send(name)
            await time.run()
          }
        }
        XCTAssertEqual(
          auth.results, [.failure(.wrongCredentials), .token(of: "ann")], "\(overlap)")
      }
    }
  }
}
