#if !os(WASI)
  public import Foundation

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// Signs in at a server: `POST` of `{"username": …, "password": …}` as JSON.
  ///
  /// `200` with `{"token": "…"}` is a token, `401` means wrong credentials, and anything else is an
  /// ``AuthError`` that describes it. Redirections are not followed, since they would send the
  /// password elsewhere; nothing is cached or kept. No error's text contains the user name, password
  /// or query of the URL.
  ///
  /// Any number of sign-ins may run concurrently. For any answer of a server, each sign-in ends no later than
  /// its deadline, and other tasks of the program continue. A sign-in holds at most ``answerLimit`` bytes of
  /// its answer.
  ///
  /// Foundation on Linux limits this. All sessions of the program share one queue, which closes a connection
  /// only if it has time between two pieces of data. If a server sends without end, there is usually such a
  /// moment within a second. There is none if the server is always faster than Foundation (with single bytes,
  /// or with a redirection's body, all of which Foundation collects). Then, until the server pauses or closes
  /// the connection, Foundation's memory grows, the program's other requests wait, and other sign-ins time out.
  /// While any request waits for its answer, Foundation uses 70 to 90 % of a core. If a connection ends within the
  /// head of an answer, Foundation ends the program: *Transfer completed, but there's no response*. (Both with Swift
  /// 6.3.1, also with a bare `URLSession`. The second is issue 5285 of swift-corelibs-foundation.)
  public struct HTTPAuthenticator: Authenticator {
    /// The largest answer in bytes, 1 MiB. A larger answer is refused as soon as its size is known.
    ///
    /// An answer in more than 16,384 pieces is also refused. The refusal is immediate. On Linux the connection
    /// may outlive it, see ``HTTPAuthenticator``.
    public static let answerLimit = 1 << 20

    private let url: URL
    private let deadline: Duration

    /// Makes an authenticator that asks a server.
    ///
    /// - Parameters:
    ///   - url: Where to post to. Use `https`: the password is sent as it is.
    ///   - deadline: How long the whole exchange may take. If it is zero or negative, every sign-in times out
    ///     and nothing is sent. More than a year counts as a year.
    public init(url: URL, deadline: Duration = .seconds(30)) {
      self.url = url
      // Clocks, and Foundation, trap for times that they cannot count.
      self.deadline = min(deadline, .seconds(365 * 24 * 60 * 60))
    }

    /// Posts the credentials as JSON, and returns the token of the answer.
    ///
    /// - Throws: ``AuthError/wrongCredentials`` for the status 401, ``AuthError/timedOut(after:)`` when the
    ///   deadline has passed, ``AuthError/cancelled`` when the task is cancelled, and otherwise an error that
    ///   describes the problem with the connection or the answer.
    public func authenticate(_ credentials: Credentials) async throws(AuthError) -> Token {
      let request = try request(for: credentials)
      guard deadline > .zero else { throw .timedOut(after: deadline) }
      let deadline = deadline
      let outcome = await withTaskGroup(of: Result<HTTPAnswer, AuthError>.self) { group in
        group.addTask { await HTTPExchange(answerLimit: Self.answerLimit).run(request) }
        group.addTask {
          try? await ContinuousClock().sleep(for: deadline)
          return .failure(Task.isCancelled ? .cancelled : .timedOut(after: deadline))
        }
        defer { group.cancelAll() }
        return await group.next() ?? .failure(.cancelled)
      }
      return try token(in: try outcome.get())
    }

    private func request(for credentials: Credentials) throws(AuthError) -> URLRequest {
      guard ["http", "https"].contains(url.scheme?.lowercased()), url.host() != nil else {
        throw .unreachable("\(url.shown) is not an address of a web server.")
      }
      let fields = ["username": credentials.username, "password": credentials.password]
      var request = URLRequest(url: url)
      request.httpMethod = "POST"
      // The deadline comes first. Foundation's own one would end a longer wait.
      request.timeoutInterval = TimeInterval(deadline.components.seconds + 1)
      request.setValue("application/json", forHTTPHeaderField: "Content-Type")
      request.setValue("application/json", forHTTPHeaderField: "Accept")
      guard let body = try? JSONEncoder().encode(fields) else {
        throw .unreachable("The credentials cannot be written as JSON.")
      }
      request.httpBody = body
      return request
    }

    private func token(in answer: HTTPAnswer) throws(AuthError) -> Token {
      struct Body: Decodable {
        let token: String
      }
      switch answer.status {
      case 401: throw .wrongCredentials
      case 200: break
      case let status: throw .unexpectedStatus(status)
      }
      guard let body = try? JSONDecoder().decode(Body.self, from: answer.body) else {
        throw .badAnswer("it is not JSON with a \"token\".")
      }
      return Token(body.token)
    }
  }
#endif
