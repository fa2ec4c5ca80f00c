import Foundation
import Hummingbird

/// The page, and its stream of lines.
///
/// Both answer only to requests that name this machine: another site's script that has its own name lead here (DNS
/// rebinding) names that. There is nothing that a request could change.
struct Page: Sendable {
  let lines: LineStore
  let isLocal: Bool
  let token: String?

  func router() -> Router<BasicRequestContext> {
    let router = Router(options: .autoGenerateHeadEndpoints)
    router.get("/") { request, _ in try page(request) }
    router.get("/stream") { request, _ in try stream(request) }
    return router
  }

  private func check(_ request: Request) throws {
    let host = (request.head.authority ?? "").lowercased()
    let name = host.hasPrefix("[") ? host.prefix { $0 != "]" } + "]" : host.prefix { $0 != ":" }
    guard !isLocal || ["127.0.0.1", "localhost", "[::1]"].contains(name) else {
      throw HTTPError(.init(code: 421, reasonPhrase: "Misdirected Request"))
    }
    let site = request.headers[.init("Sec-Fetch-Site")!] ?? "none"
    let origin = request.headers[.origin]
    // A link from elsewhere may open the page, and no more.
    let isVisit = request.uri.path == "/" && request.headers[.init("Sec-Fetch-Mode")!] == "navigate"
    guard isVisit || ["none", "same-origin"].contains(site),
      origin == nil || origin == "http://\(host)"
    else { throw HTTPError(.forbidden) }
    guard let token else { return }
    let cookies = request.headers[values: .cookie].flatMap { $0.split(separator: ";") }
    let known = cookies.contains { $0.drop { $0 == " " } == "token=\(token)" }
    guard known || request.uri.queryParameters["token"].map(String.init) == token else {
      throw HTTPError(
        .unauthorized, message: "The address needs the token that the inspector printed.")
    }
  }

  private func page(_ request: Request) throws -> Response {
    try check(request)
    let nonce = UUID().uuidString
    let html = String(decoding: PackageResources.page_html, as: UTF8.self)
      .replacingOccurrences(of: "NONCE", with: nonce)
    var headers: HTTPFields = [
      .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
      .contentSecurityPolicy: """
      default-src 'none'; style-src 'nonce-\(nonce)'; script-src 'nonce-\(nonce)'; \
      connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'
      """,
      .xContentTypeOptions: "nosniff", .init("Referrer-Policy")!: "no-referrer",
      .init("Cross-Origin-Resource-Policy")!: "same-origin",
    ]
    if let token { headers[.setCookie] = "token=\(token); HttpOnly; SameSite=Strict" }
    return Response(
      status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(string: html)))
  }

  /// Server-sent events: each has up to 1,000 lines, with the numbers of their programs before them, and is named by
  /// the place behind them, from which a page that comes back goes on.
  private func stream(_ request: Request) throws -> Response {
    try check(request)
    let last = request.headers[.init("Last-Event-ID")!]
    let from = last ?? request.uri.queryParameters["from"].map(String.init)
    let known = from.flatMap(lines.place)
    return Response(
      status: .ok,
      headers: [
        .contentType: "text/event-stream", .cacheControl: "no-store",
        .xContentTypeOptions: "nosniff", .init("Cross-Origin-Resource-Policy")!: "same-origin",
      ],
      body: ResponseBody { writer in
        try await request.body.consumeWithCancellationOnInboundClose { _ in
          var next = known
          for await _ in lines.ends {
            while true {
              guard let place = next, let more = lines.lines(from: place, atMost: 1_000) else {
                let (batch, first) = lines.beginning()
                next = first
                try await writer.write(event(batch[...], before: first, type: "again"))
                continue
              }
              if more.isEmpty { break }
              next = place + more.count
              try await writer.write(event(more, before: place + more.count, type: "message"))
            }
          }
        }
        try await writer.finish(nil)
      })
  }

  private func event(
    _ batch: ArraySlice<LineStore.Line>, before next: Int, type: String
  ) -> ByteBuffer {
    var text = "event: \(type)\nid: \(lines.name(of: next))\n"
    for (source, line) in batch { text += "data: \(source) \(line)\n" }
    return ByteBuffer(string: text + (batch.isEmpty ? "data:\n\n" : "\n"))
  }
}
