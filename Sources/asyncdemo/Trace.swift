import AsyncChannels
import AsyncChannelsRecording
import Foundation

/// What is recorded of a demo, and shown at its end: `--trace` and its likes.
@MainActor
struct Trace {
  static let help = """
      --trace           shows at the end what was sent, who took it, and what it caused
      --trace=times     the same with milliseconds, and with who came and went
      --trace-svg FILE  writes a picture of that, for a browser
      --trace-json FILE writes a trace of that, for Perfetto and Chrome

    """

  private enum Text {
    case withTimes, withoutTimes
  }

  private var text: Text?
  private var svgFile: String?
  private var jsonFile: String?

  /// Takes its options out of the arguments of a demo.
  init(takingFrom arguments: inout [String]) throws {
    var rest: [String] = []
    var options = arguments[...]
    while let option = options.popFirst() {
      switch option {
      case "--trace": text = .withoutTimes
      case "--trace=times": text = .withTimes
      case "--trace-svg": svgFile = try Self.file(of: option, in: &options)
      case "--trace-json": jsonFile = try Self.file(of: option, in: &options)
      case _ where option.hasPrefix("--trace"):
        throw UsageError("there is no option \(option.quoted)", help: Self.help)
      default: rest.append(option)
      }
    }
    arguments = rest
  }

  private static func file(of option: String, in options: inout ArraySlice<String>) throws -> String
  {
    guard let file = options.popFirst(), !file.isEmpty else {
      throw UsageError("'\(option)' takes the name of a file", help: help)
    }
    return file
  }

  /// Runs a demo, and shows what was recorded when it has ended.
  func run(_ demo: any Demo, on console: Console) async throws {
    guard text != nil || svgFile != nil || jsonFile != nil else { return try await demo.run() }
    let recording = Recording()
    await demo.record(in: recording)
    try await demo.run()
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
