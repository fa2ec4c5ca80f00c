import AsyncChannels
import AsyncViewModels
import HTTPTypes
import Hummingbird

/// What the server answers to each request.
struct Routes: Sendable {
  let manager: StoredMemberManager
  let page: LivePage
  let summary: MembersSummaryViewModel

  func router() -> Router<BasicRequestContext> {
    let router = Router(options: .autoGenerateHeadEndpoints)
    router.add(middleware: SecurityHeaders())
    router.add(middleware: SameOriginOnly())
    router.route(.get, "/") { _, _ in html(.ok, pageHTML(manager.roster.value)) }
    router.route(.get, "/page.css") { _, _ in asset("text/css", PackageResources.page_css) }
    router.route(.get, "/page.js") { _, _ in asset("text/javascript", PackageResources.page_js) }
    router.route(.get, "/status") { _, _ in await status() }
    router.route(.get, "/events") { request, _ in events(request) }
    router.route(.post, "/members") { request, _ in
      let form = try await form(of: request)
      guard let name = form.name else { throw HTTPError(.badRequest, message: "no name") }
      return await carryOut(.add(name: name), form, request)
    }
    router.route(.post, "/members/:id/remove") { request, context in
      let id = try context.parameters.require("id", as: Int.self)
      return await carryOut(.remove(id: id), try await form(of: request), request)
    }
    router.route(.post, "/members/remove-all") { request, _ in
      await carryOut(.removeAll, try await form(of: request), request)
    }
    return router
  }

  // MARK: Commands

  private func form(of request: Hummingbird.Request) async throws -> Form {
    guard request.headers[.contentType]?.hasPrefix("application/x-www-form-urlencoded") == true
    else { throw HTTPError(.unsupportedMediaType, message: "a form is expected") }
    guard let form = Form(try await request.body.collect(upTo: 4096).readableBytesView) else {
      throw HTTPError(.badRequest, message: "the form is not valid")
    }
    return form
  }

  /// Answers when the command is stored or refused: an acknowledged command is never lost, and a
  /// refusal is seen by nobody else.
  private func carryOut(
    _ action: MemberCommand.Action, _ form: Form, _ request: Hummingbird.Request
  ) async -> Response {
    let command = MemberCommand(key: form.key ?? .randomKey(), action)
    let outcome = await manager.commands.ask(command)
    // Browsers' forms want a page; scripts want the sentence.
    let wantsPage = request.headers[.accept]?.contains("text/html") == true
    guard let (status, sentence) = refusal(outcome, of: action) else {
      return wantsPage
        ? Response(status: .seeOther, headers: [.location: "/"]) : Response(status: .noContent)
    }
    return wantsPage
      ? html(status, pageHTML(manager.roster.value, error: sentence, name: form.name ?? ""))
      : response(status, "text/plain", ByteBuffer(string: sentence))
  }

  private func refusal(
    _ outcome: MemberOutcome?, of action: MemberCommand.Action
  ) -> (HTTPResponse.Status, String)? {
    switch outcome {
    case .done: nil
    case .invalidName:
      if case .add(let name) = action {
        (.unprocessableContent, "“\(name)” is not a valid name; nothing was added.")
      } else {
        (.unprocessableContent, "That is not a valid name.")
      }
    case .unknownMember: (.notFound, "That member is not in the list any more.")
    case .listIsFull: (.conflict, "The list is full; nothing was added.")
    case nil: (.serviceUnavailable, "It is not known whether that was done. Please try again.")
    }
  }

  // MARK: What is shown

  /// A tab: it has one subscription of what all tabs show, which holds one frame if its browser does
  /// not read. It ends when the page ends, or the browser has gone.
  private func events(_ request: Hummingbird.Request) -> Response {
    // A browser that reconnects names what it had last; one that has just loaded the page, what that
    // shows.
    let known = request.headers[.lastEventID] ?? request.uri.queryParameters["after"].map(String.init)
    let frames = page.frames.subscribe(buffering: .bufferingNewest(1))
    let headers: HTTPFields = [.contentType: "text/event-stream", .cacheControl: "no-store"]
    return Response(
      status: .ok, headers: headers,
      body: ResponseBody { writer in
        try await request.body.consumeWithCancellationOnInboundClose { _ in
          // Not all simultaneously, if the server was restarted.
          try await writer.write(ByteBuffer(string: "retry: \(Int.random(in: 500...1500))\n\n"))
          var known = known
          for await frame in frames {
            let isNews = frame.roster.isNews(after: known)
            try await writer.write(isNews ? frame.event : Self.heartbeat)
            known = isNews ? frame.roster.id : known
          }
        }
        try await writer.finish(nil)
      })
  }

  private static let heartbeat = ByteBuffer(string: ":\n\n")

  private func status() async -> Response {
    let members = await summary.memberCount.value
    return response(
      .ok, "application/json",
      ByteBuffer(string: "{\"members\": \(members), \"tabs\": \(page.tabCount)}\n"))
  }

  private func html(_ status: HTTPResponse.Status, _ text: String) -> Response {
    response(status, "text/html", ByteBuffer(string: text))
  }

  private func asset(_ type: String, _ bytes: [UInt8]) -> Response {
    response(.ok, type, ByteBuffer(bytes: bytes))
  }

  private func response(
    _ status: HTTPResponse.Status, _ type: String, _ body: ByteBuffer
  ) -> Response {
    Response(
      status: status,
      headers: [.contentType: "\(type); charset=utf-8", .cacheControl: "no-cache"],
      body: ResponseBody(byteBuffer: body))
  }
}

extension HTTPField.Name {
  static let lastEventID = HTTPField.Name("Last-Event-ID")!
}

extension Router where Context == BasicRequestContext {
  /// A route, and for each other method the answer that it is not allowed.
  fileprivate func route(
    _ method: HTTPRequest.Method, _ path: RouterPath,
    _ handler: @escaping @Sendable (Hummingbird.Request, Context) async throws -> Response
  ) {
    on(path, method: method, use: handler)
    let others: [HTTPRequest.Method] = [.get, .post, .put, .patch, .delete, .options]
    for other in others where other != method {
      on(path, method: other) { _, _ -> Response in
        throw HTTPError(.methodNotAllowed, headers: [.allow: method.rawValue])
      }
    }
  }
}

/// The page loads nothing from elsewhere, runs no script but its own, and is framed by nobody.
private struct SecurityHeaders: RouterMiddleware {
  func handle(
    _ request: Hummingbird.Request, context: BasicRequestContext,
    next: (Hummingbird.Request, BasicRequestContext) async throws -> Response
  ) async throws -> Response {
    var response = try await next(request, context)
    response.headers[.contentSecurityPolicy] = """
      default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; \
      form-action 'self'; base-uri 'none'; frame-ancestors 'none'
      """
    response.headers[.xContentTypeOptions] = "nosniff"
    return response
  }
}

/// Refuses commands that a page of another origin sends. Browsers say where a form comes from.
private struct SameOriginOnly: RouterMiddleware {
  func handle(
    _ request: Hummingbird.Request, context: BasicRequestContext,
    next: (Hummingbird.Request, BasicRequestContext) async throws -> Response
  ) async throws -> Response {
    if request.method == .post, let origin = request.headers[.origin],
      origin.split(separator: "://").last.map(String.init) != request.head.authority
    {
      throw HTTPError(.forbidden, message: "another origin's form")
    }
    return try await next(request, context)
  }
}
