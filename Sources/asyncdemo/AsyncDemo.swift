import AsyncChannels
import AsyncChannelsRecording

/// The command line: which demo to run, and how it ends.
@main @MainActor
struct AsyncDemo {
  static let version = "1.0.0"

  private static let demos: [any Demo.Type] = [
    MembersDemo.self, AuthDemo.self, WorkoutDemo.self, FilterDemo.self, ProfileDemo.self,
  ]

  static func main() async {
    Signals.handle()
    do {
      try await run(Array(CommandLine.arguments.dropFirst()), on: Console())
    } catch let error as UsageError {
      Console.complain("asyncdemo: \(error)\n\n\(error.help ?? usage)")
      ExitStatus.usage.exit()
    } catch let error as OutputError {
      if let sentence = error.sentence { Console.complain("asyncdemo: \(sentence)\n") }
      error.exitStatus.exit()
    } catch {
      Console.complain("asyncdemo: \(error)\n")
      ExitStatus.failure.exit()
    }
  }

  private static func run(_ arguments: [String], on console: Console) async throws {
    guard let word = arguments.first else { return try await Tour(console: console).run() }
    var rest = Array(arguments.dropFirst())
    if let demo = demos.first(where: { $0.name == word }) {
      guard rest.first != "--help", rest.first != "-h" else {
        return try console.write(demo.help + "\n" + Trace.help)
      }
      let trace = try Trace(takingFrom: &rest)
      let lines = StandardInput(promptingOn: console)
      return try await trace.run(
        demo.init(console: console, lines: lines, arguments: rest), on: console)
    }
    switch word {
    case "--help" where rest.isEmpty, "-h" where rest.isEmpty: try console.write(usage)
    case "--version" where rest.isEmpty: try console.write("asyncdemo \(version)\n")
    case "--help", "-h", "--version": throw UsageError("\(word) takes nothing after it")
    default: throw UsageError("there is no demo and no option \(word.quoted)")
    }
  }

  private static var usage: String {
    var text = """
      usage: asyncdemo [DEMO [OPTIONS]]

        (nothing)   a tour of all systems, typed by the program itself

      """
    for demo in demos {
      text += "  \(demo.name.padded(to: 10))  \(demo.summary)\n"
    }
    return text + "\n" + Trace.help + """
        --help      this text; 'asyncdemo DEMO --help' for a demo's own
        --version   the version

      """
  }
}

/// Arguments that make no sense.
struct UsageError: Error, CustomStringConvertible {
  let description: String
  /// What to show instead of the program's own help.
  let help: String?

  init(_ sentence: String, help: String? = nil) {
    description = sentence
    self.help = help
  }

  /// For a demo that takes no arguments.
  @MainActor
  static func refuse(_ arguments: [String], of demo: any Demo.Type) throws {
    if let first = arguments.first {
      throw UsageError("'\(demo.name)' takes no argument \(first.quoted)", help: demo.help)
    }
  }
}
