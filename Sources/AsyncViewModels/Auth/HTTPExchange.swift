import AsyncChannels
import Dispatch
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a server answered.
struct HTTPAnswer: Sendable {
  let status: Int
  let body: Data
}

/// One request and its answer, read piece by piece so that an endless one can be refused.
///
/// Foundation on Linux traps if a task is cancelled before its transfer has begun or after it has
/// ended, and goes on receiving for long if it is cancelled in a delegate's method. So a request is
/// given up at once, and its transfer cancelled when there is one, from outside.
final class HTTPExchange: NSObject, URLSessionDataDelegate {
  private struct State {
    var status: Int?
    var body = Data()
    /// Whether the server asked for other credentials, which is an answer, and the transfer's end.
    var isRefused = false
    var isCancelled = false
    /// Whether there is a transfer that can be cancelled.
    var isUnderWay = false
    /// Nil before the request, and after its outcome.
    var continuation: CheckedContinuation<Result<HTTPAnswer, AuthError>, Never>?

    /// For whoever has the outcome first.
    mutating func takeContinuation() -> CheckedContinuation<Result<HTTPAnswer, AuthError>, Never>? {
      defer { continuation = nil }
      return continuation
    }
  }

  private let state = Locked(State())
  private let answerLimit: Int

  /// - Parameter answerLimit: In bytes.
  init(answerLimit: Int) {
    self.answerLimit = answerLimit
  }

  /// Call it once. When its task is cancelled, the request is.
  func run(_ request: URLRequest) async -> Result<HTTPAnswer, AuthError> {
    let session = URLSession(configuration: .ephemeral, delegate: self, delegateQueue: nil)
    let task = session.dataTask(with: request)
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isCancelled = state.withLock { state in
          if !state.isCancelled { state.continuation = continuation }
          return state.isCancelled
        }
        if isCancelled {
          continuation.resume(returning: .failure(.cancelled))
        } else {
          task.resume()
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
    DispatchQueue.global().async { [self] in
      if state.withLock({ $0.isUnderWay }) {
        session.invalidateAndCancel()
      } else {
        session.finishTasksAndInvalidate()
      }
    }
    return outcome
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
    totalBytesSent: Int64, totalBytesExpectedToSend: Int64
  ) {
    noteProgress(of: task)
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    // A server may answer before it has read the request.
    noteProgress(of: dataTask)
    state.withLock { $0.status = (response as? HTTPURLResponse)?.statusCode }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    state.withLock { state -> CheckedContinuation<Result<HTTPAnswer, AuthError>, Never>? in
      guard state.body.count + data.count > answerLimit else {
        state.body += data
        return nil
      }
      return state.takeContinuation()
    }?.resume(returning: .failure(.badAnswer("it is larger than \(answerLimit) bytes.")))
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
    let (continuation, outcome) = state.withLock { state in
      state.isUnderWay = false
      return (state.takeContinuation(), self.outcome(of: state, error))
    }
    continuation?.resume(returning: outcome)
  }

  /// `401` with a challenge. There is nothing else to try: the credentials were in the request.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    guard let refusal = challenge.failureResponse as? HTTPURLResponse else {
      return completionHandler(.performDefaultHandling, nil)
    }
    state.withLock { state in
      state.status = refusal.statusCode
      state.isRefused = true
    }
    completionHandler(.cancelAuthenticationChallenge, nil)
  }

  private func noteProgress(of task: URLSessionTask) {
    let wasGivenUp = state.withLock { state in
      defer { state.isUnderWay = true }
      return state.isCancelled && !state.isUnderWay
    }
    // It was given up before it had begun.
    if wasGivenUp { DispatchQueue.global().async { task.cancel() } }
  }

  private func outcome(of state: State, _ error: (any Error)?) -> Result<HTTPAnswer, AuthError> {
    if let error, state.isCancelled || !state.isRefused {
      if (error as? URLError)?.code == .cancelled { return .failure(.cancelled) }
      return .failure(.unreachable(error.localizedDescription))
    }
    guard let status = state.status else { return .failure(.unreachable("It is no web server.")) }
    return .success(HTTPAnswer(status: status, body: state.body))
  }
}
