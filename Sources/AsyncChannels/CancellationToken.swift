import Synchronization

/// Keeps an observation or a running view model alive. Cancelling or dropping the token stops it.
///
/// `observe` of ``Outlet`` and ``StateOutlet`` returns one, and so does `ViewModel.start()`. Keep the token as
/// long as you need the observation: in a property, or with others in a set, so that it ends with its owner.
///
/// ```swift
/// private var tokens: Set<CancellationToken> = []
///
/// viewModel.start().store(in: &tokens)
/// viewModel.$state.observe { [weak self] state in self?.render(state) }.store(in: &tokens)
/// ```
///
/// A token equals only itself. Taking it out of its set drops it, which stops the observation. Dropping the set stops
/// all, in the order in which ``store(in:)`` was called.
public final class CancellationToken: Sendable {
  private let onCancel: @Sendable () -> Void
  /// Where it stands in its first set; -1 before. It never changes then: another set may have the token, too.
  private let place = Atomic(-1)

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
    takePlace(tokens.count)
    tokens.insert(self)
  }
}

extension CancellationToken: Hashable {
  /// A token equals itself only.
  public static func == (one: CancellationToken, other: CancellationToken) -> Bool {
    one === other
  }

  /// Hashes the place in its set.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(_rawHashValue(seed: 0))
  }

  /// What a set asks for. A set of native Swift has a token in the bucket of this number, or behind it, and drops its
  /// tokens bucket by bucket. With the usual hash, that order would depend on addresses, and tests would end what
  /// they began in another order in each run.
  public func _rawHashValue(seed: Int) -> Int {
    takePlace(0)
  }

  /// Returns its place, which is this if it has none.
  @discardableResult
  private func takePlace(_ new: Int) -> Int {
    let (isNew, known) = place.compareExchange(expected: -1, desired: new, ordering: .relaxed)
    return isNew ? new : known
  }
}
