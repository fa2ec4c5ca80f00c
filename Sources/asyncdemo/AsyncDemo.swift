import AsyncChannels
import AsyncChannelsRecording

/// The command line: which demo to run, and how it ends.
@main @MainActor
struct AsyncDemo {
  static let version = "unreleased"

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
    var rest = arguments
    let trace = try Trace(takingFrom: &rest)
    let isOperand = rest.first == "--"
    if isOperand { rest.removeFirst() }
    guard !rest.isEmpty else {
      return try await trace.run(as: "tour", on: console) { recording in
        try await Tour(console: console, recording: recording).run()
      }
    }
    let word = rest.removeFirst()
    if let demo = demos.first(where: { $0.name == word }) {
      return try await run(demo, with: rest, trace, on: console)
    }
    switch word {
    case _ where isOperand: throw UsageError("there is no demo \(word.quoted)")
    case "--help" where rest.isEmpty, "-h" where rest.isEmpty: try console.write(usage)
    case "--version" where rest.isEmpty: try console.write("asyncdemo \(version)\n")
    case "--help", "-h", "--version": throw UsageError("\(word) takes nothing after it")
    default: throw UsageError("there is no demo and no option \(word.quoted)")
    }
  }

  private static func run(
    _ demo: any Demo.Type, with arguments: [String], _ trace: Trace, on console: Console
  ) async throws {
    guard arguments.first != "--help", arguments.first != "-h" else {
      return try console.write(demo.help + "\n" + Trace.help)
    }
    let options = Array(arguments.prefix { $0 != "--" })
    try UsageError.refuse(Array(arguments.dropFirst(options.count + 1)), of: demo)
    let lines = StandardInput(promptingOn: console)
    let demo = try demo.init(console: console, lines: lines, arguments: options)
    try await trace.run(as: type(of: demo).name, on: console) { recording in
      if let recording { await demo.record(in: recording) }
      try await demo.run()
    }
  }

  private static var usage: String {
    var text = """
      usage: asyncdemo [OPTIONS] [DEMO]

        (nothing)   a tour of all systems, typed by the program itself

      """
    for demo in demos {
      text += "  \(demo.name.padded(to: 10))  \(demo.summary)\n"
    }
    return text + "\n" + Trace.help + """
        --help      shows this text; 'asyncdemo DEMO --help' shows that of a demo
        --version   shows the version

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
