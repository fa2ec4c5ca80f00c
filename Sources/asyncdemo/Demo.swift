import AsyncChannels
import AsyncChannelsRecording

/// A command-line view of one system.
@MainActor
protocol Demo {
  /// What to type to run it.
  static var name: String { get }

  /// What it shows, in a few words.
  static var summary: String { get }

  static var help: String { get }

  /// What the program types for the tour.
  static var script: [String] { get }

  /// - Parameter arguments: What was typed behind the name.
  init(console: Console, lines: any LineSource, arguments: [String]) throws

  /// Has its systems recorded.
  func record(in recording: Recording) async

  /// Runs until its input ends.
  func run() async throws
}
