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
final class HTTPExchange: NSObject, URLSessionDataDelegate {
  private struct State {
    var status: Int?
    var body = Data()
    var isTooLarge = false
    var continuation: CheckedContinuation<Result<HTTPAnswer, AuthError>, Never>?
  }

  private let state = Mutex(State())
  private let answerLimit: Int

  /// - Parameter answerLimit: In bytes.
  init(answerLimit: Int) {
    self.answerLimit = answerLimit
  }

  /// Call it once. When its task is cancelled, the request is.
  func run(_ request: URLRequest) async -> Result<HTTPAnswer, AuthError> {
    let session = URLSession(configuration: .ephemeral, delegate: self, delegateQueue: nil)
    let task = session.dataTask(with: request)
    // The session keeps its delegate, this object, until it is told that it is not needed again.
    defer { session.finishTasksAndInvalidate() }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        state.withLock { $0.continuation = continuation }
        task.resume()
      }
    } onCancel: {
      task.cancel()
    }
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    state.withLock { $0.status = (response as? HTTPURLResponse)?.statusCode }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let isTooLarge = state.withLock { state in
      state.isTooLarge = state.isTooLarge || state.body.count + data.count > answerLimit
      if !state.isTooLarge { state.body += data }
      return state.isTooLarge
    }
    if isTooLarge { dataTask.cancel() }
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
      defer { state.continuation = nil }
      return (state.continuation, self.outcome(of: state, error))
    }
    continuation?.resume(returning: outcome)
  }

  private func outcome(of state: State, _ error: (any Error)?) -> Result<HTTPAnswer, AuthError> {
    if state.isTooLarge { return .failure(.badAnswer("it is larger than \(answerLimit) bytes.")) }
    if let error {
      if (error as? URLError)?.code == .cancelled { return .failure(.cancelled) }
      return .failure(.unreachable(error.localizedDescription))
    }
    guard let status = state.status else { return .failure(.unreachable("It is no web server.")) }
    return .success(HTTPAnswer(status: status, body: state.body))
  }
}
