import Hummingbird
import Logging
import NIOCore

/// The port that operators and their tools have for themselves: it answers when the pages' connections are all
/// taken. It has few connections, each for a short time.
enum HealthPort {
  private static let connections = 32
  private static let time = TimeAmount.seconds(5)
  /// What it may have open: the listener, and three connections more, since up to four are accepted in one step.
  static let files = 1 + connections + 3

  static func listener(
    _ host: String, _ port: Int, _ router: Router<PageContext>, _ logger: Logger
  ) -> Listener {
    Listener(
      host, port, router, path: "health", connections: connections,
      handlers: { [TimeLimit(time)] }, logger: logger)
  }
}

/// Closes a connection after some time, whatever is done on it.
private final class TimeLimit: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = Any

  private let time: TimeAmount
  private var end: Scheduled<Void>?

  init(_ time: TimeAmount) {
    self.time = time
  }

  func handlerAdded(context: ChannelHandlerContext) {
    end = context.eventLoop.scheduleTask(in: time) { [channel = context.channel] in
      channel.close(promise: nil)
    }
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    end?.cancel()
  }
}

/// Tells that the connection is of no use for a second request, so that none is sent while it is closed.
struct OneRequest: RouterMiddleware {
  func handle(
    _ request: Hummingbird.Request, context: PageContext,
    next: (Hummingbird.Request, PageContext) async throws -> Response
  ) async throws -> Response {
    var response = try await next(request, context)
    response.headers[.connection] = "close"
    return response
  }
}
