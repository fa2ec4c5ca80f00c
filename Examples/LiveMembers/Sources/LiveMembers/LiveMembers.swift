import ArgumentParser
import AsyncChannels
import AsyncViewModels
import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle

@main
struct LiveMembers: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "A list of members that all open pages see change.",
    subcommands: [Serve.self, Load.self], defaultSubcommand: Serve.self)
}

struct Serve: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Serves the page.")

  @Option(help: "The port; 0 for any that is free.") var port = 8080
  @Option(help: "The address to listen on.") var host = "127.0.0.1"
  @Option(help: "The SQLite file.") var file = "members.sqlite"
  @Option(help: "The URL of a PostgreSQL database instead, shared with other servers.")
  var postgres: String?
  @Option(help: "How many connections there may be.") var connections = 15_000
  @Option(help: "Seconds between two signs of life to each page; three without reading end it.")
  var heartbeat = 10
  @Option(help: "How many commands are committed together at most.") var group = 256

  func validate() throws {
    guard connections > 0, heartbeat > 0, group > 0 else {
      throw ValidationError("Numbers must be more than zero.")
    }
  }

  func run() async throws {
    let logger = Logger(label: "LiveMembers") { StreamLogHandler.standardError(label: $0) }
    let store: any MemberStore =
      if let url = postgres { try await PostgresStore(url: url) } else {
        try SQLiteStore(path: file)
      }
    let manager = try await StoredMemberManager(store: store, groupSize: group, logger: logger)
    let summary = await MembersSummaryViewModel(manager: manager)
    let page = await LivePage(roster: manager.roster, heartbeat: .seconds(heartbeat))

    // They end in the opposite order. The page first: it ends the streams, for which the server
    // would wait. Then the server, when each request has its answer. Then the manager, when it has
    // carried out what was sent. A browser that does not read its stream's end is not waited for.
    var services = ServiceGroupConfiguration(
      services: [
        Ending(work: manager.run, end: manager.finish),
        server(Routes(manager: manager, page: page, summary: summary), logger),
        Ending(
          work: {
            await cancelWhenGracefulShutdown { await withRunning(summary) { await page.run() } }
          }, end: page.finish),
      ],
      gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    services.maximumGracefulShutdownDuration = .seconds(5)
    try await ServiceGroup(configuration: services).run()
  }

  private func server(_ routes: Routes, _ logger: Logger) -> some Service {
    let stuck = TimeAmount.seconds(Int64(3 * heartbeat))
    return Application(
      router: routes.router(),
      server: .http1(
        configuration: .init(
          additionalChannelHandlers: [IdleStateHandler(writeTimeout: stuck), CloseWhenStuck()])),
      configuration: ApplicationConfiguration(
        address: .hostname(host, port: port), backlog: 4096,
        availableConnectionsDelegate: MaximumAvailableConnections(connections)),
      onServerRunning: {
        print("http://\(host):\($0.localAddress?.port ?? port)/")
        fflush(nil)  // it is what a program that started this one waits for
      },
      logger: logger)
  }
}

/// Something that is told to end when the program is.
private struct Ending: Service {
  let work: @Sendable () async -> Void
  let end: @Sendable () -> Void

  func run() async throws {
    await withGracefulShutdownHandler {
      await work()
    } onGracefulShutdown: {
      end()
    }
  }
}
