/// Something that goes on until it is cancelled or its token is dropped.
///
/// `observe` of ``Outlet`` and ``StateOutlet`` returns one. Keep it for as long as you want to
/// observe: in a property, so that observing ends with its owner.
public final class CancellationToken: Sendable {
  private let onCancel: @Sendable () -> Void

  /// - Parameter onCancel: Called at each ``cancel()`` and once more when the token is dropped.
  init(onCancel: @escaping @Sendable () -> Void) {
    self.onCancel = onCancel
  }

  deinit {
    onCancel()
  }

  /// Stops. Cancelling again does nothing.
  public func cancel() {
    onCancel()
  }
}
