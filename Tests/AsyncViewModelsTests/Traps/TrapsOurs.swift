import AsyncChannels
import AsyncChannelsTesting
import AsyncViewModels
import Observation
import TestSupport

// What the traps' attacks are made on, as this package does it.

final class OurSignIn: SignInFlow {
  private let authenticator = HeldAuthenticator()
  private let viewModel: AuthViewModel
  private var listeners: [Probe<Result<Token, AuthError>>] = []
  private(set) var requestCount = 0

  init() {
    viewModel = AuthViewModel(authenticator: authenticator)
  }

  func listen() { listeners.append(Probe(viewModel.signInResult)) }

  func signInAndWait(_ name: String) async throws {
    authenticator.answer(name)
    try await withRunning(viewModel) {
      viewModel.signIn.send(.of(name))
      for listener in listeners { try await listener.expect(.token(of: name)) }
    }
    // No more can come: the run has returned.
    while (try? await authenticator.begun.next(within: .zero)) != nil { requestCount += 1 }
  }
}

final class OurField: SlowField {
  private let viewModel: TextFilterViewModel
  private let gate = Gate()

  init() {
    viewModel = TextFilterViewModel { [gate] text in
      if text == "もしもn" { await gate.pass() }
      return text == "もしもn"
    }
  }

  var shown: String { viewModel.text.value }
  func type(_ text: String) { viewModel.text.value = text }

  func letFirstOutputCome() async throws {
    let outputs = Probe(viewModel.outputText)
    try await withRunning(viewModel) {
      gate.open()
      _ = try await outputs.next(where: { $0 == "もしもn" })
    }
  }
}

/// Observed with Observation.
final class OurTrackedState: ObservedState {
  private let state = CurrentValue("old")

  func set(_ new: String) { state.value = new }

  func firstReading(after change: () -> Void) async throws -> String {
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

  func set(_ new: String) { state.value = new }

  func firstReading(after change: () -> Void) async throws -> String {
    let readings = Channel<[String]>()
    let probe = Probe(readings.outlet)
    let token = state.outlet.observe { [state] told in readings.send([told, state.value]) }
    try await probe.expect(["old", "old"])
    change()
    let reading = try await probe.next()
    token.cancel()
    return reading[1]
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
  private let loader = HeldLoader()
  private let viewModel: ProfileViewModel
  private let states: Probe<String>
  private let run: Task<Void, Never>

  init() {
    let viewModel = ProfileViewModel(loader: loader)
    self.viewModel = viewModel
    states = Probe(viewModel.state.map(\.text))
    run = Task { await viewModel.run() }
  }

  func ask(_ id: Int) async throws {
    viewModel.load.send(id)
    try await loader.begun.expect(id)
  }

  func answer(_ id: Int) async throws {
    loader.answer(id)
    try await loader.returned.expect(id)
  }

  /// The last that was shown before another user, who is asked for and answered after all that.
  func shown() async throws -> String {
    try await ask(3)
    try await answer(3)
    var shown: [String] = []
    repeat { shown.append(try await states.next()) } while shown.last != "user 3"
    run.cancel()
    try await within { [run] in await run.value }
    return shown.last { $0 != "user 3" && $0 != "loading" } ?? "nothing"
  }
}

final class OurStream: ListenedStream {
  private let channel = Channel<String>()
  private let gate = Gate()
  private var listener: Task<[String], Never>?

  func beginListening() {
    let subscription = channel.outlet.subscribe()
    listener = Task { [gate] in
      await gate.pass()
      var elements: [String] = []
      for await element in subscription { elements.append(element) }
      return elements
    }
  }

  func letListenerRun() async throws { gate.open() }
  func send(_ element: String) { channel.send(element) }

  func received() async throws -> [String] {
    channel.finish()
    return try await within { [listener] in await listener?.value ?? [] }
  }
}
