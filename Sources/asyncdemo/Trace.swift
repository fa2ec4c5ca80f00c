import AsyncChannels
import AsyncChannelsRecording
import Foundation

/// What is recorded of a demo, and shown at its end or at an interrupt: `--trace` and its likes.
struct Trace: Sendable {
  static let help = """
      --trace           shows at the end what was sent, what took it, and what it caused
      --trace=times     the same with milliseconds, and with subscriptions that begin and end
      --trace-svg FILE  writes the same as a picture for a browser
      --trace-json FILE writes the same as a trace for Perfetto and Chrome
      --                ends the options

    """

  private enum Text: Sendable {
    case withTimes, withoutTimes
  }

  private var text: Text?
  private var svgFile: String?
  private var jsonFile: String?

  private var isWanted: Bool { text != nil || svgFile != nil || jsonFile != nil }

  /// Takes its options out of the arguments; what is behind `--` are none.
  init(takingFrom arguments: inout [String]) throws {
    var rest: [String] = []
    var options = arguments[...]
    while let option = options.popFirst() {
      if option == "--" {
        rest += [option] + options
        break
      }
      let parts = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let value = parts.count == 2 ? String(parts[1]) : nil
      switch (parts.first, value) {
      case ("--trace", nil): text = .withoutTimes
      case ("--trace", "times"): text = .withTimes
      case ("--trace-svg", let file): svgFile = try Self.file(file, of: "--trace-svg", in: &options)
      case ("--trace-json", let file):
        jsonFile = try Self.file(file, of: "--trace-json", in: &options)
      case _ where option.hasPrefix("--trace"):
        throw UsageError("there is no option \(option.quoted)", help: Self.help)
      default: rest.append(option)
      }
    }
    arguments = rest
  }

  /// The value behind the equals sign, or else the next argument.
  private static func file(
    _ file: String?, of option: String, in options: inout ArraySlice<String>
  ) throws -> String {
    guard let file = file ?? options.popFirst(), !file.isEmpty else {
      throw UsageError("'\(option)' takes the name of a file", help: help)
    }
    return file
  }

  /// Runs a demo or the tour, and shows what was recorded when it has ended, or when a signal ends the
  /// program.
  @MainActor
  func run(
    on console: Console, _ body: (Recording?) async throws -> Void
  ) async throws {
    guard isWanted else { return try await body(nil) }
    let recording = Recording()
    Signals.beforeEnding { try? show(recording, on: console) }
    try await body(recording)
    try Signals.unlessEnding { try show(recording, on: console) }
  }

  /// Also called by the thread that ends the program after a signal.
  private func show(_ recording: Recording, on console: Console) throws {
    if let text { try console.write("\n" + recording.text(times: text == .withTimes)) }
    if let svgFile { try write(recording.svg(), to: svgFile) }
    if let jsonFile { try write(recording.perfetto(), to: jsonFile) }
  }

  private func write(_ contents: String, to file: String) throws {
    do {
      try Data(contents.utf8).write(to: URL(filePath: file))
    } catch {
      throw FileError(description: "\(file.quoted) cannot be written")
    }
  }
}

/// A file that cannot be written.
private struct FileError: Error, CustomStringConvertible {
  let description: String
}
