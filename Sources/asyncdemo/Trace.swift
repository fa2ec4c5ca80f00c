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
      --trace-lines FILE
                        writes a line of JSON for each event as it happens; '-' is the standard output
      --inspect         shows the flow in a running inspector; --inspect=HOST:PORT in another one
      --                ends the options

    """

  private enum Text: Sendable {
    case withTimes, withoutTimes
  }

  private var text: Text?
  private var svgFile: String?
  private var jsonFile: String?
  private var linesFile: String?
  private var inspector: String?

  private var isWanted: Bool {
    text != nil || svgFile != nil || jsonFile != nil || linesFile != nil || inspector != nil
  }

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
      case ("--trace-lines", let file):
        linesFile = try Self.file(file, of: "--trace-lines", in: &options)
      case ("--inspect", let address): inspector = address ?? "127.0.0.1:4243"
      case _ where option.hasPrefix("--trace") || option.hasPrefix("--inspect"):
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
    as program: String, on console: Console, _ body: (Recording?) async throws -> Void
  ) async throws {
    guard isWanted else { return try await body(nil) }
    let recording = Recording()
    let reading = try [
      linesFile.map { try lines(of: recording, as: program, to: $0, console) },
      inspector.map { recording.inspect(as: program, at: $0) },
    ]
    defer { withExtendedLifetime(reading) {} }
    Signals.beforeEnding { try? show(recording, on: console) }
    try await body(recording)
    try Signals.unlessEnding { try show(recording, on: console) }
  }

  /// Also called by the thread that ends the program after a signal.
  private func show(_ recording: Recording, on console: Console) throws {
    if linesFile != nil || inspector != nil { recording.flush() }
    if let text { try console.write("\n" + recording.text(times: text == .withTimes)) }
    if let svgFile { try write(recording.svg(), to: svgFile) }
    if let jsonFile { try write(recording.perfetto(), to: jsonFile) }
  }

  /// Each line is written on its own, since the demo writes lines, too.
  private func lines(
    of recording: Recording, as program: String, to file: String, _ console: Console
  ) throws -> CancellationToken {
    if file == "-" {
      return recording.lines(as: program) { text in
        (try? text.split(separator: "\n").forEach { try console.write("\($0)\n") }) != nil
      }
    }
    try write("", to: file)
    guard let handle = FileHandle(forWritingAtPath: file) else {
      throw FileError(description: "\(file.quoted) cannot be written")
    }
    return recording.lines(as: program) { text in
      (try? handle.write(contentsOf: Data(text.utf8))) != nil
    }
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
