import Dispatch
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a server answered.
struct HTTPAnswer: Sendable {
  let status: Int
  /// Empty unless the status is 200: nobody wants to know.
  let body: Data
}

/// One request and its answer, read piece by piece so that an endless one can be refused.
///
/// Foundation on Linux goes on receiving for long if a transfer is cancelled in a delegate's method.
/// So a request is given up at once, and its transfer cancelled from outside.
final class HTTPExchange: NSObject, URLSessionDataDelegate {
  private typealias Outcome = Result<HTTPAnswer, AuthError>
  private typealias Transfer = (session: URLSession, task: URLSessionTask)

  private struct State {
    var body = Data()
    var isCancelled = false
    /// Nil before the request, and after its outcome.
    var continuation: CheckedContinuation<Outcome, Never>?

    /// For whoever has the outcome first.
    mutating func takeContinuation() -> CheckedContinuation<Outcome, Never>? {
      defer { continuation = nil }
      return continuation
    }
  }

  private let state = Locked(State())
  /// Whether the transfer is through. Its lock is held while the transfer is cancelled, which waits
  /// for nothing here: Foundation on Linux traps if a transfer completes in the midst of that.
  private let isComplete = Locked(false)
  private let answerLimit: Int

  /// - Parameter answerLimit: In bytes.
  init(answerLimit: Int) {
    self.answerLimit = answerLimit
  }

  /// Call it once. When its task is cancelled, the request is.
  func run(_ request: URLRequest) async -> Result<HTTPAnswer, AuthError> {
    var transfer: Transfer?
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isCancelled = state.withLock { state in
          if !state.isCancelled { state.continuation = continuation }
          return state.isCancelled
        }
        if isCancelled {
          continuation.resume(returning: .failure(.cancelled))
        } else {
          transfer = begin(request)
        }
      }
    } onCancel: {
      state.withLock { state in
        state.isCancelled = true
        return state.takeContinuation()
      }?.resume(returning: .failure(.cancelled))
    }
    // The session keeps its delegate, this object, until it is told that it is not needed again.
    // Not here: Foundation blocks the caller for as long as an answer comes in without a pause.
    if let transfer {
      DispatchQueue.global().async { [self] in
        isComplete.withLock { if !$0 { transfer.task.cancel() } }
        transfer.session.finishTasksAndInvalidate()
      }
    }
    return outcome
  }

  private func begin(_ request: URLRequest) -> Transfer {
    let configuration = URLSessionConfiguration.ephemeral
    // While Foundation on Linux looks into a cache, the transfer has not begun, and cancelling it
    // then has no effect: it would connect, and send the password, later.
    configuration.urlCache = nil
    let session = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
    let task = session.dataTask(with: request)
    task.resume()
    return (session, task)
  }

  private func finish(with outcome: Outcome) {
    state.withLock { $0.takeContinuation() }?.resume(returning: outcome)
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    // Only a 200's body is of interest. Others are not waited for: they may stall, or break off.
    // A 1xx is no answer yet: there may be some before the one that is.
    if let status = response.status, status >= 200, status != 200 { finish(with: .answer(status)) }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let isTooLarge = state.withLock { state in
      let fits = state.body.count + data.count <= answerLimit
      if fits { state.body += data }
      return !fits
    }
    if isTooLarge {
      finish(with: .failure(.badAnswer("it is larger than \(answerLimit) bytes.")))
    }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    isComplete.withLock { $0 = true }
    if let error {
      finish(with: .failure(AuthError(error, of: task)))
    } else if let status = task.response?.status, status >= 200 {
      // Also a redirection to nowhere, of which there was no word before.
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
    finish(with: .answer(status))
    completionHandler(.cancelAuthenticationChallenge, nil)
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
    switch (error as? URLError)?.code {
    case .cancelled: self = .cancelled
    // Foundation on Linux has no words for these.
    case .badURL, .unsupportedURL:
      let address = task.originalRequest?.url?.absoluteString ?? "This"
      self = .unreachable("\(address) is no address that can be used.")
    default: self = .unreachable(error.localizedDescription)
    }
  }
}
