import AsyncChannels
import AsyncViewModels
import Foundation
import HTTPTypes
import Hummingbird

/// What the server answers to each request.
struct Routes: Sendable {
  let manager: StoredMemberManager
  let page: LivePage
  let summary: MembersSummaryViewModel

  func router() -> Router<BasicRequestContext> {
    let router = Router(options: .autoGenerateHeadEndpoints)
    router.add(middleware: SamePageOnly())
    router.route(.get, "/") { _, _ in html(.ok, pageHTML(manager.roster.value)) }
    router.route(.get, "/page.css") { _, _ in answer(.ok, "text/css", PackageResources.page_css) }
    router.route(.get, "/page.js") { _, _ in
      answer(.ok, "text/javascript", PackageResources.page_js)
    }
    router.route(.get, "/events") { request, _ in events(request) }
    router.route(.get, "/status") { _, _ in
      let members = await summary.memberCount.value
      let text = "{\"members\": \(members), \"tabs\": \(page.tabCount)}\n"
      return answer(.ok, "application/json", text.utf8)
    }
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

  private struct Form: Decodable {
    let name: String?
    /// By which the command is known when the form is sent again.
    let key: String?
  }

  private func form(of request: Hummingbird.Request) async throws -> Form {
    guard request.headers[.contentType]?.hasPrefix("application/x-www-form-urlencoded") == true
    else { throw HTTPError(.unsupportedMediaType, message: "a form is expected") }
    let body = try await request.body.collect(upTo: 4096)
    // The decoder takes text that is not UTF-8 as it stands.
    guard let text = String(validating: body.readableBytesView, as: UTF8.self),
      text.removingPercentEncoding != nil,
      let form = try? URLEncodedFormDecoder().decode(Form.self, from: text),
      form.key.map({ $0.wholeMatch(of: /[!-~]{1,64}/) != nil }) ?? true
    else { throw HTTPError(.badRequest, message: "the form is not valid") }
    return form
  }

  /// Answers when the command is stored or refused: an acknowledged command is never lost, and a
  /// refusal is seen by nobody else.
  private func carryOut(
    _ action: MemberCommand.Action, _ form: Form, _ request: Hummingbird.Request
  ) async -> Response {
    // What is asked is part of the key: a page that a browser kept has an old key for a new name.
    let command = MemberCommand(key: "\(form.key ?? .randomKey()) \(action)", action: action)
    let outcome = await manager.commands.ask(command)
    // Browsers' forms want a page; scripts want the sentence.
    let wantsPage = request.headers[.accept]?.contains("text/html") == true
    let (status, sentence): (HTTPResponse.Status, String) =
      switch outcome {
      case .done where wantsPage: (.seeOther, "")
      case .done: (.noContent, "")
      case .invalidName:
        (.unprocessableContent, "“\(form.name ?? "")” is not a valid name; nothing was added.")
      case .unknownMember: (.notFound, "That member is not in the list any more.")
      case .listIsFull: (.conflict, "The list is full; nothing was added.")
      case nil: (.serviceUnavailable, "It is not known whether that was done. Please try again.")
      }
    if outcome == .done { return Response(status: status, headers: [.location: "/"]) }
    return wantsPage
      ? html(status, pageHTML(manager.roster.value, error: sentence, name: form.name ?? ""))
      : answer(status, "text/plain", sentence.utf8)
  }

  /// A tab: it has one subscription of what all tabs show, which holds one frame if its browser does
  /// not read. It ends when the page ends, or the browser has gone.
  private func events(_ request: Hummingbird.Request) -> Response {
    // A browser that reconnects names what it had last; one that has just loaded the page, what that
    // shows.
    let shown = request.headers[.lastEventID] ?? request.uri.queryParameters.get("after")
    let frames = page.frames.subscribe(buffering: .bufferingNewest(1))
    return Response(
      status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
      body: ResponseBody { writer in
        try await request.body.consumeWithCancellationOnInboundClose { _ in
          // Not all simultaneously, if the server was restarted.
          try await writer.write(ByteBuffer(string: "retry: \(Int.random(in: 500...1500))\n\n"))
          var shown = shown
          for await frame in frames {
            let isNews = frame.roster.isNews(after: shown)
            try await writer.write(isNews ? frame.event : Self.heartbeat)
            if isNews { shown = frame.roster.id }
          }
        }
        try await writer.finish(nil)
      })
  }

  private static let heartbeat = ByteBuffer(string: ":\n\n")

  private func html(_ status: HTTPResponse.Status, _ text: String) -> Response {
    answer(status, "text/html", text.utf8)
  }

  private func answer(
    _ status: HTTPResponse.Status, _ type: String, _ body: some Collection<UInt8>
  ) -> Response {
    let headers: HTTPFields = [.contentType: "\(type); charset=utf-8", .cacheControl: "no-cache"]
    return Response(
      status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
  }
}

extension HTTPField.Name {
  fileprivate static let lastEventID = HTTPField.Name("Last-Event-ID")!
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

/// Refuses commands that a page of another origin sends; browsers say where a form comes from. And
/// tells browsers that the page loads nothing from elsewhere, and is framed by nobody.
private struct SamePageOnly: RouterMiddleware {
  func handle(
    _ request: Hummingbird.Request, context: BasicRequestContext,
    next: (Hummingbird.Request, BasicRequestContext) async throws -> Response
  ) async throws -> Response {
    let origin = request.headers[.origin]?.split(separator: "://").last.map(String.init)
    guard request.method != .post || origin == nil || origin == request.head.authority else {
      throw HTTPError(.forbidden, message: "another origin's form")
    }
    var response = try await next(request, context)
    response.headers[.contentSecurityPolicy] = """
      default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; \
      form-action 'self'; base-uri 'none'; frame-ancestors 'none'
      """
    response.headers[.xContentTypeOptions] = "nosniff"
    return response
  }
}
