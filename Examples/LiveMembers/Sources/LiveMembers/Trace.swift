import ArgumentParser
import AsyncChannelsRecording
import AsyncViewModels
import Foundation

/// What is recorded of the server, and written when it has ended: its newest 10,000 events.
struct Trace: ParsableArguments {
  @Option(
    name: .customLong("trace"),
    help: "A file for a text of what was sent, who took it, and what it caused.")
  var textFile: String?
  @Option(name: .customLong("trace-svg"), help: "A file for a picture of that, for a browser.")
  var svgFile: String?

  /// Nil if neither file is wanted: then nothing is recorded.
  func record(
    _ manager: StoredMemberManager, _ page: LivePage, _ summary: MembersSummaryViewModel
  ) async -> Recording? {
    guard textFile != nil || svgFile != nil else { return nil }
    let recording = Recording()
    await recording.add(manager)
    await recording.add(manager.channel)
    await recording.add(page)
    await recording.add(summary)
    return recording
  }

  func write(_ recording: Recording?) throws {
    guard let recording else { return }
    if let textFile { try write(recording.text(times: true), to: textFile) }
    if let svgFile { try write(recording.svg(), to: svgFile) }
  }

  private func write(_ contents: String, to file: String) throws {
    try Data(contents.utf8).write(to: URL(filePath: file))
  }
}
