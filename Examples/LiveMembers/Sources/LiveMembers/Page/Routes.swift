import AsyncChannels
import AsyncViewModels
import Foundation
import Hummingbird

/// What the server answers to each request.
struct Routes: Sendable {
  let manager: StoredMemberManager
  let page: LivePage
  let summary: MembersSummaryViewModel
  let origins: Origins
  let proxies: Proxies
  let streams: Places
  /// Whether the page's port takes requests.
  let isOpen = CurrentValue(false)

  /// Ends the streams. From now on, the server is not ready.
  func finish() {
    isOpen.value = false
    isOpen.finish()
    page.finish()
  }

  func router(withMetrics: Bool) -> Router<PageContext> {
    let router = Router(context: PageContext.self, options: .autoGenerateHeadEndpoints)
    router.addMiddleware { Guard(origins: origins) }
    router.route(.get, "/") { _, _ in Response("text/html", html().utf8) }
    router.route(.get, "/page.css") { _, _ in Response("text/css", PackageResources.page_css) }
    router.route(.get, "/page.js") { _, _ in Response("text/javascript", PackageResources.page_js) }
    router.route(.get, "/live.js") { _, _ in Response("text/javascript", PackageResources.live_js) }
    router.route(.get, "/events") { request, context in try await events(request, context) }
    router.route(.get, "/status") { _, _ in
      let (members, tabs) = (await summary.memberCount.value, page.tabCount)
      return Response("application/json", #"{"members": \#(members), "tabs": \#(tabs)}"#.utf8)
    }
    addOperations(to: router, withMetrics: withMetrics)
    router.route(.post, "/members") { request, context in
      let form = try await form(of: request)
      guard let name = form["name"] else {
        throw HTTPError(.badRequest, message: "There is no name in the form.")
      }
      return await carryOut(.add(name: name), form, request, context)
    }
    router.route(.post, "/members/:id/remove") { request, context in
      let id = try context.parameters.require("id", as: Int.self)
      return await carryOut(.remove(id: id), try await form(of: request), request, context)
    }
    router.route(.post, "/members/remove-all") { request, context in
      await carryOut(.removeAll, try await form(of: request), request, context)
    }
    return router
  }

  private func html(error: String = "", name: String = "") -> String {
    pageHTML(manager.roster.value, heartbeat: page.heartbeat, error: error, name: name)
  }

  private func form(of request: Hummingbird.Request) async throws -> [String: String] {
    guard origins.mayCommand(request) else {
      throw HTTPError(.forbidden, message: "The form is not from this server's page.")
    }
    guard request.headers[.contentType]?.hasPrefix("application/x-www-form-urlencoded") == true
    else { throw HTTPError(.unsupportedMediaType, message: "A form is expected.") }
    let body = try await request.body.collect(upTo: 4096)
    // The decoder takes text that is not UTF-8 as it stands.
    guard let text = String(validating: body.readableBytesView, as: UTF8.self),
      text.removingPercentEncoding != nil,
      let form = try? URLEncodedFormDecoder().decode([String: String].self, from: text),
      form["key", default: "-"].wholeMatch(of: /[!-~]{1,64}/) != nil
    else { throw HTTPError(.badRequest, message: "The form is not valid.") }
    return form
  }

  /// Answers when the command is stored or refused: an acknowledged command is never lost, and a
  /// refusal is seen by nobody else.
  private func carryOut(
    _ command: MemberCommand, _ form: [String: String], _ request: Hummingbird.Request,
    _ context: PageContext
  ) async -> Response {
    let key = form["key"] ?? UUID().uuidString
    let outcome = await context.whileSomebodyWaits(atMost: .seconds(10)) {
      await manager.carryOut(command, key: key)
    }
    // Browsers' forms want a page; scripts want the sentence.
    let wantsPage = request.headers[.accept]?.contains("text/html") == true
    let name = form["name"] ?? ""
    let (status, sentence): (HTTPResponse.Status, String) =
      switch outcome {
      case .done: (wantsPage ? .seeOther : .noContent, "")
      case .invalidName:
        // Isolated, or a name that turns text would turn the sentence.
        (.unprocessableContent, "“\u{2068}\(name)\u{2069}” is not a valid name; nothing was added.")
      case .unknownMember: (.notFound, "That member is not in the list any more.")
      case .listIsFull: (.conflict, "The list is full; nothing was added.")
      case .repeated: (.conflict, "That was carried out before. The list shows what came of it.")
      case .notStored: (.serviceUnavailable, "The database cannot store that now.")
      case nil: (.serviceUnavailable, "The database does not answer now.")
      }
    if outcome == .done { return Response(status: status, headers: [.location: "/"]) }
    guard wantsPage else { return Response("text/plain", sentence.utf8, status) }
    return Response("text/html", html(error: sentence, name: name).utf8, status)
  }

  /// A browser's stream: it has one subscription of what all show, which holds one frame if its browser
  /// does not read. It ends when the page ends, or the browser has gone.
  private func events(
    _ request: Hummingbird.Request, _ context: PageContext
  ) async throws -> Response {
    let place: Places.Place
    do {
      place = try streams.enter(proxies.client(of: request, at: context.address))
    } catch .tooManyOfThisClient {
      throw HTTPError(.tooManyRequests, message: "This client has too many streams open.")
    } catch .tooMany {
      throw HTTPError(.serviceUnavailable, message: "Too many streams are open.")
    }
    await page.refresh()
    let frames = page.frames.subscribe(buffering: .bufferingNewest(1))
    return Response(
      status: .ok,
      headers: [
        .contentType: "text/event-stream", .cacheControl: "no-store",
        // Or nginx would keep events until it has some kilobytes.
        .init("X-Accel-Buffering")!: "no",
      ],
      body: ResponseBody { writer in
        try await request.body.consumeWithCancellationOnInboundClose { _ in
          // Not all simultaneously, if the server was restarted.
          try await writer.write(ByteBuffer(string: "retry: \(Int.random(in: 500...1500))\n\n"))
          // What the browser had when it connects again, or what the page that it has loaded shows.
          var shown =
            request.headers[.init("Last-Event-ID")!] ?? request.uri.queryParameters.get("after")
          for await frame in frames {
            let isNews = frame.roster.isNews(after: shown)
            try await writer.write(isNews ? frame.event : frame.beat)
            if isNews { shown = frame.roster.id }
          }
        }
        withExtendedLifetime(place) {}
        try await writer.finish(nil)
      })
  }
}

extension Response {
  /// Text that is asked for again each time. What is a page loads nothing from elsewhere, and is
  /// framed by nobody.
  init(
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

extension Router where Context == PageContext {
  /// A route, and for each other method the answer that it is not allowed.
  func route(
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
