import AsyncChannelsRunning
import AsyncChannelsTesting
import AsyncViewModels
import Observation
import TestSupport
import XCTest

// What the traps' attacks are made on, as this package does it.

final class OurSignIn: SignInFlow {
  private let signingIn: SigningIn
  private var listeners: [Probe<Result<Token, AuthError>>] = []

  init(_ time: TestTime) {
    signingIn = SigningIn(time)
  }

  var requestCount: Int { signingIn.requests.count { $0.hasPrefix("+") } }

  func listen() { listeners.append(Probe(signingIn.viewModel.signInResult)) }

  func signInAndWait(_ name: String) async {
    await withRunning(signingIn.viewModel) {
      signingIn.send(name)
      await signingIn.time.run()
    }
    for listener in listeners { XCTAssertEqual(listener.values, [.token(of: name)]) }
  }
}

final class OurField: SlowField {
  private let time: TestTime
  private let viewModel = TextFilterViewModel { $0 == "もしもn" }

  init(_ time: TestTime) {
    self.time = time
  }

  var shown: String { viewModel.text.value }
  func type(_ text: String) { viewModel.text.value = text }

  func letFirstOutputCome() async {
    await withRunning(viewModel) { await time.idle() }
    XCTAssertEqual(viewModel.outputText.value, "もしもn")
  }
}

/// Observed with Observation.
final class OurTrackedState: ObservedState {
  private let state = CurrentValue("old")

  func set(_ new: String) { state.value = new }

  func firstReading(after change: () -> Void) async -> String {
    let readings = Record<String>()
    withObservationTracking {
      _ = state.value
    } onChange: { [state] in
      readings.add(state.value)
    }
    change()
    return readings.events[0]
  }
}

/// Observed through its outlet.
final class OurObservedState: ObservedState {
  private let state = CurrentValue("old")
  private let time: TestTime

  init(_ time: TestTime) {
    self.time = time
  }

  func set(_ new: String) { state.value = new }

  func firstReading(after change: () -> Void) async -> String {
    let readings = Record<String>()
    let token = state.outlet.observe { [state] _ in readings.add(state.value) }
    XCTAssertEqual(readings.take(), ["old"])
    change()
    await time.idle()
    token.cancel()
    return readings.events[0]
  }
}

final class OurFirstFrame: Screen {
  private let state = CurrentValue("loading")
  private(set) var text = ""
  private var token: CancellationToken?

  func appear() {
    token = state.outlet.observe { [weak self] in self?.text = $0 }
  }
}

final class OurScreen: AnsweringScreen {
  private let time: TestTime
  private let viewModel: ProfileViewModel
  private let token: CancellationToken

  init(_ time: TestTime) {
    self.time = time
    viewModel = ProfileViewModel(loader: SlowLoader(time.clock))
    token = viewModel.start()
  }

  var shown: String { viewModel.state.value.text }

  func ask(_ id: Int) async {
    viewModel.load.send(id)
    await time.idle()
  }

  func letNextAnswerCome() async {
    await time.advance(by: .seconds(1))
  }
}

final class OurStream: ListenedStream {
  private let channel = Channel<String>()
  private(set) var received: [String] = []

  func beginListening() {
    let subscription = channel.outlet.subscribe()
    Task { [weak self] in for await element in subscription { self?.received.append(element) } }
  }

  func send(_ element: String) { channel.send(element) }
}
