public import AsyncChannelsRunning
public import Observation

/// Loads a user, and publishes whether loading is in progress, has failed or has succeeded.
///
/// ``run()`` loads the wanted user when it begins, and again whenever an input asks for it. If two loads
/// overlap, the later one counts. The state is published after it is stored, so an observer never reads the
/// state before.
@MainActor
public final class ProfileViewModel: ViewModel, Observable {
  /// What a profile screen shows.
  public enum State: Sendable {
    /// The user is being loaded.
    case isLoading

    /// The user could not be loaded.
    case failed(any Error)

    /// The user was loaded.
    case loaded(User)
  }

  /// Output: `isLoading` until the first load has ended.
  public var state: StateOutlet<State> { $current }

  @CurrentValue private var current = State.isLoading
  /// The user to be shown. Written for each load, and again with the same user for each reload.
  private let wanted: CurrentValue<User.ID?>
  private let loader: any UserLoader

  /// Makes a view model for a user's page.
  ///
  /// - Parameters:
  ///   - userID: The user that is loaded when ``run()`` begins; none if nil.
  ///   - loader: Where users come from.
  public init(userID: User.ID? = nil, loader: any UserLoader) {
    wanted = CurrentValue(userID)
    self.loader = loader
  }

  /// Input: show this user.
  public var load: Inlet<User.ID> { wanted.inlet.contramap { $0 } }

  /// Input: load the user that is shown again.
  public var reload: Inlet<Void> { wanted.inlet { _, _ in } }

  /// Loads the user that ``load`` or ``reload`` asked for last, until its task is cancelled.
  public func run() async {
    let loader = loader
    let state = _current
    let busy = Inlet<Bool> { isBusy in if isBusy { state.value = .isLoading } }
    await wanted.outlet.outlet.compactMap { $0 }.answer(.latestOnly, busy: busy) {
      id async -> State in
      do { return .loaded(try await loader.user(id)) } catch { return .failed(error) }
    } publish: { _, newState in
      state.value = newState
    }
  }
}
