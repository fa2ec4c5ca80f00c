import ArgumentParser
import AsyncChannels
import AsyncChannelsRecording
import AsyncViewModels
import Foundation

/// What is recorded of the server, shown while it runs, and written when it has ended: its newest 10,000 events.
struct Trace: ParsableArguments {
  @Option(
    name: .customLong("trace"),
    help: "A file for a text of what was sent, who took it, and what it caused.")
  var textFile: String?
  @Option(name: .customLong("trace-svg"), help: "A file for a picture of that, for a browser.")
  var svgFile: String?
  @Option(
    name: .customLong("inspect"),
    help: "Shows the flow in a running inspector; --inspect=HOST:PORT in another one.")
  var inspector: String?

  /// `--inspect` alone is the inspector of this machine. (A default as a flag is no help: ArgumentParser then loses the value
  /// of `--inspect=HOST:PORT` if another option comes behind it.)
  static func withInspector(_ arguments: [String]) -> [String] {
    arguments.map { $0 == "--inspect" ? "--inspect=127.0.0.1:4243" : $0 }
  }

  struct Recorded {
    let recording: Recording
    let inspecting: CancellationToken?
  }

  /// Nil if none of it is wanted: then nothing is recorded.
  func record(
    _ manager: StoredMemberManager, _ page: LivePage, _ summary: MembersSummaryViewModel
  ) async -> Recorded? {
    guard textFile != nil || svgFile != nil || inspector != nil else { return nil }
    let recording = Recording()
    await recording.add(manager)
    await recording.add(manager.channel)
    await recording.add(page)
    await recording.add(summary)
    let inspecting = inspector.map { recording.inspect(as: "LiveMembers", at: $0) }
    return Recorded(recording: recording, inspecting: inspecting)
  }

  func write(_ recorded: Recorded?) throws {
    guard let recording = recorded?.recording else { return }
    if inspector != nil { recording.flush() }
    if let textFile { try write(recording.text(times: true), to: textFile) }
    if let svgFile { try write(recording.svg(), to: svgFile) }
  }

  private func write(_ contents: String, to file: String) throws {
    try Data(contents.utf8).write(to: URL(filePath: file))
  }
}
