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
  @Option(help: "The URL of a PostgreSQL database instead.") var postgres: String?
  @Option(help: "How many connections there may be.") var connections = 15_000
  @Option(help: "Seconds between signs of life; a page ends after three.") var heartbeat = Int64(10)
  @Option(help: "How many commands are committed together at most.") var group = 256

  @OptionGroup var trace: Trace

  func validate() throws {
    guard connections > 0, heartbeat > 0, group > 0 else {
      throw ValidationError("Numbers must be more than zero.")
    }
  }

  func run() async throws {
    let logger = Logger(label: "LiveMembers")
    let store: any MemberStore =
      if let postgres { try await PostgresStore(postgres) } else { try SQLiteStore(path: file) }
    let manager = try await StoredMemberManager(store: store, groupSize: group)
    let summary = await MembersSummaryViewModel(manager: manager)
    let page = await LivePage(roster: manager.roster, heartbeat: .seconds(heartbeat))
    let recording = await trace.record(manager, page, summary)
    let routes = Routes(manager: manager, page: page, summary: summary)

    // They end in the opposite order. The page first: it ends the streams, for which the server
    // would wait. Then the server, when each request has its answer. Then the manager, when it has
    // carried out what was sent. A browser that does not read its stream's end is not waited for.
    var services = ServiceGroupConfiguration(
      services: [
        Ending(work: manager.run, end: manager.finish),
        server(routes, logger),
        Ending(work: { try? await gracefulShutdown() }, end: page.finish),
      ],
      gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    services.maximumGracefulShutdownDuration = .seconds(5)
    let program = ServiceGroup(configuration: services)
    try await withRunning(page, summary) { try await program.run() }
    try trace.write(recording)
  }

  private func server(_ routes: Routes, _ logger: Logger) -> some Service {
    Application(
      router: routes.router(),
      server: .http1(
        configuration: .init(
          additionalChannelHandlers: [
            IdleStateHandler(writeTimeout: .seconds(3 * heartbeat)), CloseWhenStuck(),
          ])),
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
    await withGracefulShutdownHandler(operation: work, onGracefulShutdown: end)
  }
}

/// Closes a connection on which nothing could be written for long: its browser does not read.
private final class CloseWhenStuck: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = Any

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    context.fireUserInboundEventTriggered(event)
    if case IdleStateHandler.IdleStateEvent.write = event { context.close(promise: nil) }
  }
}
