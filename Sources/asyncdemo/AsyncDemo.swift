/// The command line: which demo to run, and how it ends.
@main @MainActor
struct AsyncDemo {
  static func main() async {
    Signals.install()
    do {
      try await run(CommandLine.arguments.dropFirst())
    } catch let error as UsageError {
      Console.complain("asyncdemo: \(error)\n\n\(usage)")
      ExitStatus.usage.exit()
    } catch let error as OutputError {
      if let sentence = error.sentence { Console.complain("asyncdemo: \(sentence)\n") }
      error.exitStatus.exit()
    } catch {
      Console.complain("asyncdemo: \(error)\n")
      ExitStatus.failure.exit()
    }
  }

  private static func run(_ arguments: ArraySlice<String>) async throws {
    let console = Console()
    switch (arguments.first, arguments.count) {
    case (nil, _):
      try await MembersDemo(console: console, lines: Script(MembersDemo.tour, echo: console)).run()
    case ("-h", 1), ("--help", 1), ("help", 1):
      try console.write(usage)
    case ("--version", 1):
      try console.write("asyncdemo \(version)\n")
    case ("members", 1):
      try await MembersDemo(console: console, lines: StandardInput(promptingOn: console)).run()
    case ("members", 2) where ["-h", "--help"].contains(arguments.last):
      try console.write(MembersDemo.help)
    case ("members", _):
      throw UsageError(description: "'members' takes no argument \((arguments.last ?? "").quoted)")
    case (let argument?, _):
      throw UsageError(description: "there is no demo and no option \(argument.quoted)")
    }
  }

  private static let version = "0.1.0"

  private static let usage = """
    usage: asyncdemo [members]

      (nothing)   a short session with the members, typed by the program itself
      members     reads commands line by line and shows the members; 'help' lists them
      --help      this text; 'asyncdemo members --help' for its commands
      --version   the version

    """
}

/// Arguments that make no sense.
struct UsageError: Error, CustomStringConvertible {
  let description: String
}
