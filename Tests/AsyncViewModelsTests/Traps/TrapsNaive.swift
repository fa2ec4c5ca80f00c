// What the traps' attacks are made on, and how the naive subject does it.

@MainActor
protocol SignInFlow {
  func listen()
  func signInAndWait(_ name: String) async
  var requestCount: Int { get }
}

/// `signIn.flatMap { authenticate($0) }`.
final class NaiveSignIn: SignInFlow {
  private let signIn = NaiveSubject("")
  private(set) var requestCount = 0

  func listen() {
    let result = signIn.flatMap { (name: String, answer: @escaping (String) -> Void) in
      self.requestCount += 1
      answer("token of \(name)")
    }
    result { _ in }
  }

  func signInAndWait(_ name: String) async { signIn.send(name) }
}

/// A text field whose output is slow.
@MainActor
protocol SlowField {
  var shown: String { get }
  func type(_ text: String)
  func letFirstOutputCome() async
}

/// `Binding(get: { output.value }, set: { input.send($0) })`.
final class NaiveField: SlowField {
  private let output = NaiveSubject("")
  private var inputs: [String] = []

  var shown: String { output.value }
  func type(_ text: String) { inputs.append(text) }
  func letFirstOutputCome() async { output.send(inputs.removeFirst()) }
}

/// A state that is "old", and an observer that reads it when it is told of a change.
@MainActor
protocol ObservedState {
  func set(_ state: String)
  func firstReading(after change: () -> Void) async -> String
}

final class NaiveState: ObservedState {
  private let state = NaiveSubject("old")

  func set(_ new: String) { state.send(new) }

  func firstReading(after change: () -> Void) async -> String {
    var readings: [String] = []
    state.onWillChange = { readings.append(self.state.value) }
    change()
    return readings[0]
  }
}

/// A screen that shows a state, in whose first frame there is what it has when it has appeared.
@MainActor
protocol Screen {
  func appear()
  var text: String { get }
}

/// The bridge to a sequence or a publisher that delivers on the main actor: in a task.
final class NaiveFirstFrame: Screen {
  private let state = NaiveSubject("loading")
  private(set) var text = ""

  func appear() {
    Task {
      text = state.value
      state.sink { self.text = $0 }
    }
  }
}

/// Asks for users, and shows what is answered.
@MainActor
protocol AnsweringScreen {
  func ask(_ id: Int) async
  /// They answer in the order of their numbers.
  func letNextAnswerCome() async
  var shown: String { get }
}

final class NaiveScreen: AnsweringScreen {
  private let wanted = NaiveSubject(0)
  private var answers: [Int: () -> Void] = [:]
  private(set) var shown = ""

  init() {
    let users = wanted.flatMap { (id: Int, answer: @escaping (String) -> Void) in
      self.answers[id] = { answer("user \(id)") }
    }
    users { self.shown = $0 }
  }

  func ask(_ id: Int) async { wanted.send(id) }

  func letNextAnswerCome() async {
    if let next = answers.keys.min() { answers.removeValue(forKey: next)?() }
  }
}

/// A stream, and a listener in a task that does not run at once.
@MainActor
protocol ListenedStream: AnyObject {
  func beginListening()
  func send(_ element: String)
  var received: [String] { get }
}

/// The task subscribes, when it gets to run.
final class NaiveStream: ListenedStream {
  private let subject = NaiveSubject("")
  private(set) var received: [String] = []

  func beginListening() {
    Task { subject.sink { self.received.append($0) } }
  }

  func send(_ element: String) { subject.send(element) }
}
