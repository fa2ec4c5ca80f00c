import Foundation

#if canImport(FoundationNetworking)
  /// Runs what it is given where it is given it, and keeps nothing.
  ///
  /// Foundation on Linux adds an operation for every piece that it receives, without end if the
  /// delegate is the slower of the two: eight answers without end filled gigabytes. Run immediately,
  /// the pieces come one by one, in order, on the queue that all sessions share; so a delegate of
  /// this queue must neither block nor call a session or its task.
  ///
  /// `@unchecked` since the superclass's conformance is, and has to be repeated. It has no state of
  /// its own.
  final class HTTPDelegateQueue: OperationQueue, @unchecked Sendable {
    override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
  }
#endif
