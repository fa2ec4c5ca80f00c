import Hummingbird

/// Answers in place of the routes: to requests for other servers, and when a route throws. Writes a line for
/// each request, if the log's level is `info`.
struct Guard: RouterMiddleware {
  let origins: Origins

  func handle(
    _ request: Hummingbird.Request, context: PageContext,
    next: (Hummingbird.Request, PageContext) async throws -> Response
  ) async throws -> Response {
    let begin = ContinuousClock.now
    let response = try await answer(request, context, next)
    context.logger.info(
      "\(request.method) \(request.uri.path): \(response.status.code) in \(ContinuousClock.now - begin)"
    )
    return response
  }

  /// What an orchestrator asks, under whatever name it has for this machine. The answers tell no names.
  private func isForOperators(_ request: Hummingbird.Request) -> Bool {
    ["/health", "/ready", "/metrics"].contains(request.uri.path)
  }

  private func answer(
    _ request: Hummingbird.Request, _ context: PageContext,
    _ next: (Hummingbird.Request, PageContext) async throws -> Response
  ) async throws -> Response {
    guard isForOperators(request) || origins.knows(host: request.head.authority) else {
      return Response(
        "text/plain",
        "This server does not have that name. Its operator can give it one with --origin.\n".utf8,
        .init(code: 421, reasonPhrase: "Misdirected Request"))
    }
    do {
      return try await next(request, context)
    } catch let error as HTTPError {
      // A sentence, since the page shows it to a person.
      var response = Response(
        "text/plain", (error.body ?? error.status.reasonPhrase).utf8, error.status)
      response.headers.append(contentsOf: error.headers)
      return response
    }
  }
}
