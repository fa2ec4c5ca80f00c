import AsyncChannelsRecording
import AsyncChannelsRunning

/// Every system in turn, on input that the program types itself: what was sent in (`>`), and what
/// came out.
@MainActor
struct Tour {
  let console: Console
  /// Records the demos in it, if there is one.
  var recording: Recording?

  func run() async throws {
    try await chapter(
      "Input only: code that has an Inlet can send, and neither listen nor finish", Pieces.inputOnly
    )
    try await chapter(
      "A control bound to an input: whatever is tapped is sent, in order", Pieces.boundControl)
    try await chapter(
      "An input with a current value: each listener begins with it", Pieces.currentValue)
    try await chapter(
      "Sign in: inputs and outputs in a protocol, one request however many listen",
      AuthDemo.self, and: Pieces.oneRequest)
    try await chapter(
      "A button that pays: what is tapped while a payment is under way is ignored",
      Pieces.firstOnly)
    try await chapter(
      "A notifier that only its owner can upstream, and a profile that listens", WorkoutDemo.self)
    try await chapter(
      "A split binding: longer texts go out, and a late answer overwrites nothing",
      FilterDemo.self, and: Pieces.lateAnswer)
    try await chapter(
      "A published property: loading, failed, loaded; observers render the new state",
      ProfileDemo.self, and: Pieces.newState)
    try await chapter(
      "One source of truth and three views of it", MembersDemo.self)
    try await chapter(
      "A stand-in for the manager, which publishes what it is told to", Pieces.standIn)
    try await chapter(
      "An alert that is sent before its view is there waits for it, and is shown once",
      Pieces.waitingAlerts)
    try await chapter(
      "A sensor that is on while somebody listens, and lingers no longer", Pieces.whileSubscribed)
    try await chapter(
      "A slow view takes everything that is ready, and renders once", Pieces.batches)
    try await chapter(
      "What the original got wrong: reset keeps nothing, and late views see the list",
      Pieces.mendedFaults)
    try await chapter(
      "A recording: which input caused which output, and who waited", Pieces.recordedFlow)
  }

  private func chapter(_ title: String, _ demo: any Demo.Type, and piece: Piece? = nil) async throws
  {
    try await chapter(title) { console in
      let lines = Script(demo.script, echo: console)
      let demo = try demo.init(console: console, lines: lines, arguments: [])
      if let recording { await demo.record(in: recording) }
      try await demo.run()
      try await piece?(console)
    }
  }

  private func chapter(_ title: String, _ piece: Piece) async throws {
    try console.write(console.bold("== \(title)") + "\n")
    try await piece(console)
    try console.write("\n")
  }
}

/// A part of the tour that is no demo of its own.
typealias Piece = @MainActor (Console) async throws -> Void
