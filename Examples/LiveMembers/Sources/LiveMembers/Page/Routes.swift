import AsyncChannels
import AsyncViewModels
import Foundation
import Hummingbird

/// What the server answers to each request.
struct Routes: Sendable {
  let manager: StoredMemberManager
  let page: LivePage
  let summary: MembersSummaryViewModel

  func router() -> Router<BasicRequestContext> {
    let router = Router(options: .autoGenerateHeadEndpoints)
    router.route(.get, "/") { _, _ in Response("text/html", pageHTML(manager.roster.value).utf8) }
    router.route(.get, "/page.css") { _, _ in Response("text/css", PackageResources.page_css) }
    router.route(.get, "/page.js") { _, _ in Response("text/javascript", PackageResources.page_js) }
    router.route(.get, "/events") { request, _ in events(request) }
    router.route(.get, "/status") { _, _ in
      let (members, tabs) = (await summary.memberCount.value, page.tabCount)
      return Response("application/json", #"{"members": \#(members), "tabs": \#(tabs)}"#.utf8)
    }
    router.route(.post, "/members") { request, _ in
      let form = try await form(of: request)
      guard let name = form["name"] else { throw HTTPError(.badRequest, message: "no name") }
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

  private func form(of request: Hummingbird.Request) async throws -> [String: String] {
    // Browsers tell where a form comes from: one on a page of another origin is refused.
    let origin = request.headers[.origin]?.split(separator: "://").last.map(String.init)
    guard origin == nil || origin == request.head.authority else {
      throw HTTPError(.forbidden, message: "another origin's form")
    }
    guard request.headers[.contentType]?.hasPrefix("application/x-www-form-urlencoded") == true
    else { throw HTTPError(.unsupportedMediaType, message: "a form is expected") }
    let body = try await request.body.collect(upTo: 4096)
    // The decoder takes text that is not UTF-8 as it stands.
    guard let text = String(validating: body.readableBytesView, as: UTF8.self),
      text.removingPercentEncoding != nil,
      let form = try? URLEncodedFormDecoder().decode([String: String].self, from: text),
      form["key", default: "-"].wholeMatch(of: /[!-~]{1,64}/) != nil
    else { throw HTTPError(.badRequest, message: "the form is not valid") }
    return form
  }

  /// Answers when the command is stored or refused: an acknowledged command is never lost, and a
  /// refusal is seen by nobody else.
  private func carryOut(
    _ action: MemberCommand.Action, _ form: [String: String], _ request: Hummingbird.Request
  ) async -> Response {
    // What is asked is part of the key: a page that a browser kept has an old key for a new name.
    let key = "\(form["key"] ?? UUID().uuidString) \(action)"
    let outcome = await manager.commands.ask(MemberCommand(key: key, action: action))
    // Browsers' forms want a page; scripts want the sentence.
    let wantsPage = request.headers[.accept]?.contains("text/html") == true
    let name = form["name"] ?? ""
    let (status, sentence): (HTTPResponse.Status, String) =
      switch outcome {
      case .done: (wantsPage ? .seeOther : .noContent, "")
      case .invalidName:
        (.unprocessableContent, "“\(name)” is not a valid name; nothing was added.")
      case .unknownMember: (.notFound, "That member is not in the list any more.")
      case .listIsFull: (.conflict, "The list is full; nothing was added.")
      case nil: (.serviceUnavailable, "It is not known whether that was done. Please try again.")
      }
    if outcome == .done { return Response(status: status, headers: [.location: "/"]) }
    guard wantsPage else { return Response("text/plain", sentence.utf8, status) }
    let page = pageHTML(manager.roster.value, error: sentence, name: name)
    return Response("text/html", page.utf8, status)
  }

  /// A tab: it has one subscription of what all tabs show, which holds one frame if its browser does
  /// not read. It ends when the page ends, or the browser has gone.
  private func events(_ request: Hummingbird.Request) -> Response {
    let frames = page.frames.subscribe(buffering: .bufferingNewest(1))
    return Response(
      status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
      body: ResponseBody { writer in
        try await request.body.consumeWithCancellationOnInboundClose { _ in
          // Not all simultaneously, if the server was restarted.
          try await writer.write(ByteBuffer(string: "retry: \(Int.random(in: 500...1500))\n\n"))
          // What the browser had when it connects again, or what the page that it has loaded shows.
          var shown =
            request.headers[.init("Last-Event-ID")!] ?? request.uri.queryParameters.get("after")
          for await frame in frames {
            let isNews = frame.roster.isNews(after: shown)
            try await writer.write(isNews ? frame.event : ByteBuffer(string: ":\n\n"))
            if isNews { shown = frame.roster.id }
          }
        }
        try await writer.finish(nil)
      })
  }
}

extension Response {
  /// Text that is asked for again each time. What is a page loads nothing from elsewhere, and is
  /// framed by nobody.
  fileprivate init(
    _ type: String, _ text: some Collection<UInt8>, _ status: HTTPResponse.Status = .ok
  ) {
    let policy = """
      default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; \
      form-action 'self'; base-uri 'none'; frame-ancestors 'none'
      """
    let headers: HTTPFields = [
      .contentType: "\(type); charset=utf-8", .cacheControl: "no-cache",
      .contentSecurityPolicy: policy, .xContentTypeOptions: "nosniff",
    ]
    self.init(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: text)))
  }
}

extension Router where Context == BasicRequestContext {
  /// A route, and for each other method the answer that it is not allowed.
  fileprivate func route(
    _ method: HTTPRequest.Method, _ path: RouterPath,
    _ handler: @escaping @Sendable (Hummingbird.Request, Context) async throws -> Response
  ) {
    on(path, method: method, use: handler)
    let methods: [HTTPRequest.Method] = [.get, .post, .put, .patch, .delete, .options]
    for other in methods where other != method {
      on(path, method: other) { _, _ -> Response in
        throw HTTPError(.methodNotAllowed, headers: [.allow: method.rawValue])
      }
    }
  }
}
