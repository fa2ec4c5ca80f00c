import Foundation
import SharedChannels
import SharedLogArguments
import SharedLogConformance
import SharedLogPostgreSQL

/// The processes that the tests start: one that appends until it is killed, a server under load, and one whose state
/// traps.
@main
struct Worker {
  static let usage = """
    usage: SharedLogWorker append [early] LOG FIRST
           SharedLogWorker load LOG CLIENTS MEMBERS SECONDS [HISTORY]
           SharedLogWorker rooms ADDRESS SCHEMA FIRST COUNT LIMIT CLIENTS SECONDS
           SharedLogWorker fragile LOG
    \(Arguments.log)

    """

  static func main() async throws {
    var arguments = Arguments(CommandLine.arguments.dropFirst())
    do {
      switch try arguments.next() {
      case "append": try await append(&arguments)
      case "load":
        try await Load(
          log: try arguments.openLog(), clients: try arguments.number(),
          members: try arguments.number(), seconds: try arguments.number(),
          history: arguments.isEmpty ? nil : try arguments.number()
        ).run()
      case "rooms":
        let (address, schema) = (try PostgresAddress(try arguments.next()), try arguments.next())
        let (first, count) = (try arguments.number(), try arguments.number())
        try await RoomsLoad(
          address: address, schema: schema, rooms: first..<first + count,
          limit: try arguments.number(),
          clients: try arguments.number(), seconds: try arguments.number()
        ).run()
      case "fragile": try await Fragile(log: try arguments.openLog()).run()
      case let name: throw WrongUsage("there is no \(name)")
      }
    } catch let error as WrongUsage {
      FileHandle.standardError.write(Data("\(error.reason)\n\(usage)".utf8))
      exit(64)
    }
  }

  private static func append(_ arguments: inout Arguments) async throws {
    let isEarly = arguments.skip("early")
    let (log, first) = (try arguments.openLog(), try arguments.number())
    guard isEarly else { try await AppenderProgram.run(log, first: first) }
    // What the suite must notice: it acknowledges before it appends.
    for number in first... {
      AppenderProgram.acknowledge(number)
      _ = try await log.append(AppenderProgram.batch(number))
    }
  }
}
