import ArgumentParser
import AsyncChannelsRunning
import AsyncViewModels
import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle
import SharedChannels
import SharedLogSQLite

#if PostgreSQL
  import SharedLogPostgreSQL
#endif

@main
struct LiveMembers: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "A list of members that all open pages see change.",
    subcommands: subcommands, defaultSubcommand: Serve.self)

  static func main() async {
    await main(Trace.withInspector(Array(CommandLine.arguments.dropFirst())))
  }

  #if PostgreSQL
    private static let subcommands: [any ParsableCommand.Type] = [Serve.self, Schema.self]
  #else
    private static let subcommands: [any ParsableCommand.Type] = [Serve.self]
  #endif
}

struct Serve: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Serves the page.",
    discussion: """
      The list is in the file members.sqlite of the working directory, unless there is another --file or a \
      PostgreSQL address. Of an option and a variable of the environment the option counts.
      """)

  @Option(help: "The port; 0 for any that is free. (Default: $PORT, or 8080)") var port: Int?
  @Option(
    help: """
      A port for /health and /ready that answers when all connections are taken; 0 for any that is free. \
      /metrics is then only there. (Default: $HEALTH_PORT, or none)
      """)
  var healthPort: Int?
  @Option(help: "The address to listen on.") var host = "127.0.0.1"
  @Option(help: "The SQLite file, of the servers on this machine.") var file: String?
  @Option(
    help: """
      A PostgreSQL database instead, as psql takes it. Others on this machine can read it here: give a \
      password in $PGPASSWORD, ~/.pgpass or $DATABASE_URL. (Default: $DATABASE_URL)
      """)
  var postgres: String?
  @Option(
    help: "An address at which people find the page, as https://members.example; several times.")
  var origin: [String] = []
  @Option(
    help: """
      The address or network of a proxy, as 10.1.2.3 or 10.1.0.0/16; several times. Its X-Forwarded-For tells \
      who a client is, as that of proxies on this machine does.
      """)
  var proxy: [String] = []
  @Option(help: "How many connections there may be, if the system allows as many.")
  var connections = 15_000
  @Option(help: "How many connections a client's address may have; 0 for any number.")
  var connectionsPerClient = 300
  @Option(help: "How many streams a client's address may have open; 0 for any number.")
  var streamsPerClient = 250
  @Option(help: "Seconds between signs of life; a page ends after three.") var heartbeat = Int64(10)
  @Option(help: "How many commands are stored together at most.") var group = 256
  @Option(
    help: """
      How many commands stay stored, with their keys, before the newest stored list: at least 10000. \
      (Default: all)
      """)
  var history: Int?
  @Option(help: "info (each request), notice, warning, … (Default: $LOG_LEVEL, or notice)")
  var logLevel: String?

  @OptionGroup var trace: Trace

  func validate() throws {
    guard connections > 0, heartbeat > 0, group > 0 else {
      throw ValidationError("Numbers must be more than zero.")
    }
    guard heartbeat <= 3_600, group <= 1_024, streamsPerClient >= 0, connectionsPerClient >= 0
    else {
      throw ValidationError(
        "A heartbeat takes at most 3600 seconds, a group has at most 1024 commands, and no limit is negative."
      )
    }
    guard history ?? 10_000 >= 10_000 else {
      throw ValidationError("A history has at least 10000 commands.")
    }
    let (port, healthPort) = try ports
    for port in [port, healthPort ?? 0] where !(0...65_535 ~= port) {
      throw ValidationError("A port is at most 65535.")
    }
    guard port == 0 || port != healthPort else {
      throw ValidationError("The health port is another one than the page's.")
    }
    _ = try level
    do { _ = (try Origins(origin), try Proxies(proxy)) } catch { throw ValidationError("\(error)") }
  }

  private var environment: [String: String] { ProcessInfo.processInfo.environment }

  private var ports: (page: Int, health: Int?) {
    get throws { (try number(port, "PORT") ?? 8080, try number(healthPort, "HEALTH_PORT")) }
  }

  private func number(_ option: Int?, _ variable: String) throws -> Int? {
    guard let text = environment[variable], option == nil else { return option }
    guard let number = Int(text) else { throw ValidationError("$\(variable) is not a number.") }
    return number
  }

  private var level: Logger.Level {
    get throws {
      let name = logLevel ?? environment["LOG_LEVEL"] ?? "notice"
      guard let level = Logger.Level(rawValue: name.lowercased()) else {
        throw ValidationError("There is no log level \(name).")
      }
      return level
    }
  }

  /// The log, which answers.
  private func log() async throws -> any SharedLog {
    do {
      let log = try openLog()
      _ = try await log.end()
      return log
    } catch LogFailure.refused(let reason) {
      throw LogFailure.unreachable(reason)  // without "nothing was stored"
    }
  }

  private func openLog() throws -> any SharedLog {
    let address = postgres ?? (file == nil ? environment["DATABASE_URL"] : nil)
    guard let address else {
      return try SQLiteLog(path: file ?? "members.sqlite", pollInterval: .milliseconds(100))
    }
    #if PostgreSQL
      return PostgresLog(
        try PostgresAddress(address), schema: Schema.name, pollInterval: .seconds(heartbeat))
    #else
      throw ValidationError("This server was built without PostgreSQL.")
    #endif
  }

  func run() async throws {
    var logger = Logger(label: "LiveMembers")
    logger.logLevel = try level
    let healthPort = try ports.health
    let connections = OpenFiles.connections(
      of: connections, besides: healthPort == nil ? 0 : HealthPort.files)
    if connections < self.connections {
      logger.warning("only \(connections) connections fit into the limit of open files (ulimit -n)")
    }
    let manager = StoredMemberManager(
      log: try await log(), batchSize: group, history: history, logger: logger)
    let summary = await MembersSummaryViewModel(manager: manager)
    let page = await LivePage(roster: manager.roster, heartbeat: .seconds(heartbeat))
    let recorded = await trace.record(manager, page, summary)
    let routes = Routes(
      manager: manager, page: page, summary: summary, origins: try Origins(origin),
      proxies: try Proxies(proxy),
      // Some connections are left for what is answered at once.
      streams: Places(
        limit: max(1, connections - connections / 8), limitPerClient: streamsPerClient))

    // They end in the opposite order. The page first: it ends the streams, for which the server
    // would wait. Then the server, when each request has its answer. Then the manager, when it has
    // carried out what was sent. After four seconds what is under way is cancelled: a browser that does not
    // read its stream's end is not waited for, nor a database that does not answer.
    var services = ServiceGroupConfiguration(
      services: [
        Ending(work: manager.run, end: manager.finish),
        Waiting(
          for: page.frames.map { !$0.roster.list.isEmpty },
          service: try server(routes, connections, logger)),
        Ending(work: { try? await gracefulShutdown() }, end: routes.finish),
      ],
      logger: logger)
    services.maximumGracefulShutdownDuration = .seconds(4)
    // The health port outlives all of that.
    let health = healthPort.map {
      HealthPort.listener(host, $0, routes.healthRouter(), logger)
    }
    let both: [(any Service)?] = [health, ServiceGroup(configuration: services)]
    let program = ServiceGroup(
      configuration: .init(
        services: both.compactMap(\.self).map {
          .init(service: $0, failureTerminationBehavior: .gracefullyShutdownGroup)
        },
        gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
    try await withRunning(page, summary) { try await program.run() }
    try trace.write(recorded)
  }

  private func server(
    _ routes: Routes, _ connections: Int, _ logger: Logger
  ) throws -> Listener {
    let (port, healthPort) = try ports
    let silence = TimeAmount.seconds(3 * heartbeat)
    let (proxies, places) = (
      routes.proxies, Places(limit: .max, limitPerClient: connectionsPerClient)
    )
    return Listener(
      host, port, routes.router(withMetrics: healthPort == nil), connections: connections,
      handlers: {
        Connection.handlers(silence: silence) { try places.enter(proxies.client(at: $0)) }
      },
      logger: logger, whenOpen: { routes.isOpen.value = true })
  }
}

/// Something that is told to end when the program is.
private struct Ending: Service {
  let work: @Sendable () async throws -> Void
  let end: @Sendable () -> Void

  func run() async throws {
    try await withGracefulShutdownHandler(operation: work, onGracefulShutdown: end)
  }
}

/// Starts a service when the page has the list that the log has: before that, it would show none.
private struct Waiting<Work: Service>: Service {
  let isReady: StateOutlet<Bool>
  let service: Work

  init(for isReady: StateOutlet<Bool>, service: Work) {
    (self.isReady, self.service) = (isReady, service)
  }

  func run() async throws {
    if await isReadyBeforeTheEnd() { try await service.run() }
  }

  private func isReadyBeforeTheEnd() async -> Bool {
    for await isReady in isReady.subscribe().cancelOnGracefulShutdown() {
      if isReady { return true }
    }
    return false
  }
}

#if PostgreSQL
  struct Schema: ParsableCommand {
    static let name = "member_log"
    static let configuration = CommandConfiguration(
      abstract:
        "Prints what a PostgreSQL administrator runs once, for a role that may not create it.")

    func run() {
      print(PostgresLog.definition(schema: Self.name), terminator: "")
    }
  }
#endif
