import AsyncChannels
import Hummingbird
import SharedChannels
import SharedLogPostgreSQL
import SharedLogSQLite

/// A server: `Seats PORT seats.sqlite`, or `Seats PORT postgresql://…`.
@main
struct SeatServer {
  static func main() async throws {
    let (port, place) = (Int(CommandLine.arguments[1])!, CommandLine.arguments[2])
    let isPostgres = place.hasPrefix("postgresql:")
    let log: any SharedLog =
      isPostgres ? PostgresLog(try PostgresAddress(place)) : try SQLiteLog(path: place)
    let seats = SharedChannel(Seats(), log: log)
    // The server ends first on SIGTERM. Then the channel carries out the commands that wait.
    let server = Application(
      router: routes(to: seats), configuration: .init(address: .hostname("127.0.0.1", port: port)),
      services: [seats])
    try await server.runService()
  }

  static func routes(to seats: SharedChannel<Seats>) -> Router<BasicRequestContext> {
    let router = Router()
    router.get("seats") { _, _ in seats.state.value.value.list }
    router.get("ready") { _, _ -> HTTPResponse.Status in
      seats.health.value.isServing ? .ok : .serviceUnavailable
    }
    router.post("seats/:seat") { request, context in
      let seat = try context.parameters.require("seat", as: Int.self)
      let name = String(buffer: try await request.body.collect(upTo: 100))
      guard !name.isEmpty, name.allSatisfy(\.isLetter) else {
        throw HTTPError(.badRequest, message: "a name has letters only")
      }
      let key = request.headers[.init("Idempotency-Key")!] ?? ""
      guard (1...255).contains(key.utf8.count) else {
        throw HTTPError(.badRequest, message: "a request needs a key of 1 to 255 bytes")
      }
      // Nil also if the client has closed its connection.
      return switch await seats.commands.ask(Keyed(key: key, .take(seat: seat, by: name))) {
      case .applied(.taken, at: _)?: answer(.created, "yours")
      case .applied(.refused(let owner), at: _)?: answer(.conflict, "taken by \(owner)")
      case .repeated?: answer(.ok, "done before")
      case .notStored(let reason)?: notStored(reason, context)
      case nil: answer(.serviceUnavailable, "ask again, with the same key")
      }
    }
    router.get("events") { _, _ in
      // A client that reads slowly gets the newest list, and delays nobody.
      let lists = seats.state.subscribe(buffering: .bufferingNewest(1))
      return Response(
        status: .ok, headers: [.contentType: "text/event-stream"],
        body: ResponseBody { writer in
          for await state in lists.cancelOnGracefulShutdown() {
            try await writer.write(ByteBuffer(string: "data: \(state.value.list)\n\n"))
          }
          try await writer.finish(nil)
        })
    }
    return router
  }

  static func notStored(_ reason: String, _ context: BasicRequestContext) -> Response {
    context.logger.error("not stored: \(reason)")
    return answer(.serviceUnavailable, "not stored")
  }

  static func answer(_ status: HTTPResponse.Status, _ text: String) -> Response {
    Response(status: status, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
  }
}
