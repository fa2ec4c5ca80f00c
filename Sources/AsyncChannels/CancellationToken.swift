/// Keeps an observation or a running view model alive. Cancelling or dropping the token stops it.
///
/// `observe` of ``Outlet`` and ``StateOutlet`` returns one, and so does ``ViewModel/start()``. Keep the token as
/// long as you need the observation: in a property, or with others in a set, so that it ends with its owner.
///
/// ```swift
/// private var tokens: Set<CancellationToken> = []
///
/// viewModel.start().store(in: &tokens)
/// viewModel.$state.observe { [weak self] state in self?.render(state) }.store(in: &tokens)
/// ```
///
/// A token equals only itself. Taking it out of its set drops it, which stops the observation.
public final class CancellationToken: Sendable {
  private let onCancel: @Sendable () -> Void

  /// - Parameter onCancel: Called at each ``cancel()`` and once more when the token is dropped.
  package init(onCancel: @escaping @Sendable () -> Void) {
    self.onCancel = onCancel
  }

  deinit {
    onCancel()
  }

  /// Stops. Cancelling again does nothing.
  public func cancel() {
    onCancel()
  }

  /// Puts the token into a set, which keeps it.
  public func store(in tokens: inout Set<CancellationToken>) {
    tokens.insert(self)
  }
}

extension CancellationToken: Hashable {
  /// A token equals itself only.
  public static func == (one: CancellationToken, other: CancellationToken) -> Bool {
    one === other
  }

  /// Hashes the identity.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}
