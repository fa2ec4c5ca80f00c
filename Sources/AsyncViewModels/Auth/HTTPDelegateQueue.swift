#if !os(WASI)
  import Foundation

  #if canImport(FoundationNetworking)
    /// Runs each operation immediately, on the thread that adds it, and keeps none.
    ///
    /// Foundation on Linux adds an operation for each piece that it receives. If the delegate is
    /// slower than the server, their number has no bound: eight endless answers filled gigabytes.
    /// With this queue the pieces are handled one by one, in order, on the queue that all sessions
    /// share; so a delegate must neither block nor call a session or its task.
    ///
    /// `@unchecked`, since the superclass's conformance is, and has to be restated. This class has no
    /// state of its own.
    final class HTTPDelegateQueue: OperationQueue, @unchecked Sendable {
      override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
    }
  #endif
#endif
