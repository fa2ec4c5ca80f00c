import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle

/// Answers the requests on a port, and prints its address when it does.
struct Listener: Service {
  private let application: Application<RouterResponder<PageContext>>
  private let port: Int

  /// - Parameters:
  ///   - path: Of what to look at first; printed behind the address.
  ///   - connections: How many there may be. Others wait for their turn.
  ///   - handlers: For each connection.
  init(
    _ host: String, _ port: Int, _ router: Router<PageContext>, path: String = "",
    connections: Int, handlers: @escaping @Sendable () -> [any RemovableChannelHandler],
    logger: Logger, whenOpen: @escaping @Sendable () -> Void = {}
  ) {
    self.port = port
    application = Application(
      router: router,
      server: .http1(
        configuration: .init(additionalChannelHandlers: handlers(), idleTimeout: .seconds(30))),
      configuration: ApplicationConfiguration(
        address: .hostname(host, port: port), backlog: 4096,
        availableConnectionsDelegate: MaximumAvailableConnections(connections)),
      onServerRunning: {
        whenOpen()
        let name = host.contains(":") ? "[\(host)]" : host
        print("http://\(name):\($0.localAddress?.port ?? 0)/\(path)")
        fflush(nil)  // it is what a program that started this one waits for
      },
      logger: logger)
  }

  func run() async throws {
    do { try await application.run() } catch let error as IOError {
      throw UnusablePort(port: port, reason: String(cString: strerror(error.errnoCode)))
    }
  }
}

struct UnusablePort: Error, CustomStringConvertible {
  let port: Int
  let reason: String

  var description: String { "Port \(port) cannot be used: \(reason)." }
}
