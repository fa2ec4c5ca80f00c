#if !os(WASI)
  import Dispatch
  import Foundation

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// What a server answered.
  struct HTTPAnswer: Sendable {
    let status: Int
    /// Empty unless the status is 200: other bodies are not used.
    let body: Data
  }

  /// One request and its answer, read piece by piece so that an endless one can be refused.
  ///
  /// Foundation on Linux runs every session of the process on one serial queue, and blocks the thread
  /// that begins or cancels a transfer until that queue has a moment. It has none while another
  /// session's server sends without a pause. So two measures keep a hostile server from stopping more
  /// than its own transfer:
  /// - Transfers are begun and cancelled on a thread of the exchange's own, never on one that Swift's
  ///   tasks share.
  /// - What is received is handled where Foundation received it (``HTTPDelegateQueue``), and a
  ///   transfer is cancelled as soon as nothing more of it is wanted.
  final class HTTPExchange: NSObject, URLSessionDataDelegate {
    private typealias Outcome = Result<HTTPAnswer, AuthError>
    private typealias Transfer = (session: URLSession, task: URLSessionTask)

    private enum Phase {
      case initial
      case waiting(CheckedContinuation<Outcome, Never>)
      case over
    }

    private struct State {
      var phase = Phase.initial
      var body = Data()
      /// What Foundation has handed over so far: pieces of the body, and heads.
      var pieces = 0
      var transfer: Transfer?
    }

    private let state = Locked(State())
    /// For beginning the transfer, and for cancelling it: both may block.
    private let queue = DispatchQueue(label: "HTTPExchange")
    private let answerLimit: Int
    /// An answer of more pieces is refused: each costs Foundation a timer, even if it is one byte.
    /// The largest answer that is allowed comes in pieces of 16 KiB, or of what a packet holds.
    private static let pieceLimit = 1 << 14

    /// - Parameter answerLimit: In bytes.
    init(answerLimit: Int) {
      self.answerLimit = answerLimit
    }

    /// Call it once. Cancelling its task cancels the request.
    func run(_ request: URLRequest) async -> Result<HTTPAnswer, AuthError> {
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let isOver = state.withLock { state in
            if case .over = state.phase { return true }
            state.phase = .waiting(continuation)
            return false
          }
          if isOver {
            continuation.resume(returning: .failure(.cancelled))
          } else {
            queue.async { [self] in begin(request) }
          }
        }
      } onCancel: {
        finish(with: .failure(.cancelled))
      }
    }

    private func begin(_ request: URLRequest) {
      let configuration = URLSessionConfiguration.ephemeral
      // While Foundation on Linux looks into a cache, the transfer has not begun, and cancelling it
      // then has no effect: it would connect, and send the password, later.
      configuration.urlCache = nil
      #if canImport(FoundationNetworking)
        let delegateQueue: OperationQueue? = HTTPDelegateQueue()
      #else
        let delegateQueue: OperationQueue? = nil
      #endif
      guard isWanted else { return }
      let session = URLSession(
        configuration: configuration, delegate: self, delegateQueue: delegateQueue)
      let task = session.dataTask(with: request)
      state.withLock { $0.transfer = (session, task) }
      // It may have been cancelled while the task was made.
      if isWanted { task.resume() }
    }

    private var isWanted: Bool {
      state.withLock { state in
        if case .waiting = state.phase { true } else { false }
      }
    }

    /// The first outcome counts. What the server sends after it is not wanted.
    private func finish(with outcome: Outcome) {
      let phase = state.withLock { state in
        defer { state.phase = .over }
        return state.phase
      }
      guard case .waiting(let continuation) = phase else { return }
      continuation.resume(returning: outcome)
      queue.async { [self] in end() }
    }

    private func end() {
      let transfer = state.withLock { state in
        state.body = Data()
        return state.transfer.take()
      }
      guard let transfer else { return }
      transfer.task.cancel()
      // The session keeps its delegate, this object, until it is invalidated.
      transfer.session.finishTasksAndInvalidate()
    }

    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
      completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
      // Only a 200's body is of interest. Others are not waited for: they may stall, or break off.
      // A 1xx is no answer yet: there may be some before the one that is.
      if let status = response.status, status >= 200, status != 200 {
        finish(with: .answer(status))
      }
      completionHandler(.allow)
      take(Data())
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      take(data)
    }

    private func take(_ data: Data) {
      let refusal: String? = state.withLock { state in
        guard case .waiting = state.phase else { return nil }
        state.pieces += 1
        if state.pieces > Self.pieceLimit {
          return "it comes in more than \(Self.pieceLimit) pieces."
        }
        if state.body.count + data.count > answerLimit {
          return "it is larger than \(answerLimit) bytes."
        }
        state.body += data
        return nil
      }
      if let refusal { finish(with: .failure(.badAnswer(refusal))) }
    }

    /// The handler is left alone. Foundation on Linux traps if it is called for a transfer that is
    /// being cancelled, and this one is.
    func urlSession(
      _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection: HTTPURLResponse,
      newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
      finish(with: .answer(willPerformHTTPRedirection.statusCode))
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
      if let error {
        finish(with: .failure(AuthError(error, of: task)))
      } else if let status = task.response?.status, status >= 200 {
        // Also a redirection without an address, which the delegate was not told of.
        finish(with: .answer(status, status == 200 ? state.withLock { $0.body } : Data()))
      } else {
        finish(with: .failure(.unreachable("It is no web server.")))
      }
    }

    /// `401` with a challenge. There is nothing else to try: the credentials were in the request.
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler:
        @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      guard let status = challenge.failureResponse?.status else {
        return completionHandler(.performDefaultHandling, nil)
      }
      // Cancelling the transfer, which this does, is also the answer to the challenge.
      finish(with: .answer(status))
    }
  }

  extension URLResponse {
    fileprivate var status: Int? { (self as? HTTPURLResponse)?.statusCode }
  }

  extension Result<HTTPAnswer, AuthError> {
    fileprivate static func answer(_ status: Int, _ body: Data = Data()) -> Self {
      .success(HTTPAnswer(status: status, body: body))
    }
  }

  extension AuthError {
    /// What became of a transfer that failed.
    fileprivate init(_ error: any Error, of task: URLSessionTask) {
      let url = task.originalRequest?.url
      switch (error as? URLError)?.code {
      case .cancelled: self = .cancelled
      // Foundation on Linux has no description for these two. For libcurl, an answer that is not HTTP
      // is an unsupported protocol, which Foundation reports as an unsupported address, though the
      // request was sent there.
      case .unsupportedURL where task.countOfBytesSent > 0, .cannotParseResponse:
        self = .badAnswer("it is not HTTP.")
      case .badURL, .unsupportedURL:
        self = .unreachable("\(url?.shown ?? "This") is no address that can be used.")
      default:
        let words = error.localizedDescription
        let isSafe = url?.secrets.allSatisfy { !words.contains($0) } ?? true
        self = .unreachable(isSafe ? words : "The connection failed.")
      }
    }
  }

  extension URL {
    /// For a user to read: without the user name and password that an address may have, and without
    /// its query, which may be as secret. Of an address without a host nothing is shown, since what
    /// it has instead can be anything.
    var shown: String {
      guard let host = host() else { return "This" }
      return host + (port.map { ":\($0)" } ?? "") + path()
    }

    /// What no text may contain: as it is encoded in the address, and decoded.
    fileprivate var secrets: [String] {
      [
        user(), user(percentEncoded: false), password(), password(percentEncoded: false), query(),
        query(percentEncoded: false),
      ]
      .compactMap { $0 }.filter { !$0.isEmpty }
    }
  }
#endif
