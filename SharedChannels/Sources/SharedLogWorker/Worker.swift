import Foundation
import SharedChannels
import SharedLogConformance
import SharedLogPostgreSQL
import SharedLogSQLite

#if NATS
  import SharedLogNATS
#endif

/// The processes that the tests start: one that appends until it is killed, and a server under load.
@main
struct Worker {
  static let usage = """
    usage: SharedLogWorker append [early] LOG FIRST
           SharedLogWorker load LOG CLIENTS MEMBERS SECONDS
    LOG is sqlite PATH, or postgres ADDRESS SCHEMA, or nats ADDRESS NAME REPLICAS.

    """

  static func main() async throws {
    var arguments = Array(CommandLine.arguments.dropFirst())
    do {
      switch try next(&arguments) {
      case "append": try await append(&arguments)
      case "load": try await load(&arguments)
      case let name: throw WrongUsage("there is no \(name)")
      }
    } catch let error as WrongUsage {
      FileHandle.standardError.write(Data("\(error.reason)\n\(usage)".utf8))
      exit(64)
    }
  }

  private static func append(_ arguments: inout [String]) async throws {
    let isEarly = arguments.first == "early"
    if isEarly { arguments.removeFirst() }
    let (log, first) = (try log(&arguments), try number(&arguments))
    guard isEarly else { try await AppenderProgram.run(log, first: first) }
    // What the suite must notice: it acknowledges before it appends.
    for number in first... {
      AppenderProgram.acknowledge(number)
      _ = try await log.append(AppenderProgram.batch(number))
    }
  }

  private static func load(_ arguments: inout [String]) async throws {
    try await Load(
      log: try log(&arguments), clients: try number(&arguments), members: try number(&arguments),
      seconds: try number(&arguments)
    ).run()
  }

  private static func log(_ arguments: inout [String]) throws -> any SharedLog {
    switch try next(&arguments) {
    case "sqlite": return try SQLiteLog(path: try next(&arguments))
    case "postgres":
      let address = try PostgresAddress(try next(&arguments))
      return PostgresLog(address, schema: try next(&arguments))
    #if NATS
      case "nats":
        let address = try NATSAddress(try next(&arguments))
        let name = try next(&arguments)
        return NATSLog(address, name: name, replicas: try number(&arguments))
    #endif
    case let name: throw WrongUsage("there is no engine \(name)")
    }
  }

  private static func number(_ arguments: inout [String]) throws -> Int {
    let text = try next(&arguments)
    guard let number = Int(text), number >= 0 else { throw WrongUsage("\(text) is not a number") }
    return number
  }

  private static func next(_ arguments: inout [String]) throws -> String {
    guard !arguments.isEmpty else { throw WrongUsage("an argument is missing") }
    return arguments.removeFirst()
  }
}

struct WrongUsage: Error {
  let reason: String

  init(_ reason: String) {
    self.reason = reason
  }
}
