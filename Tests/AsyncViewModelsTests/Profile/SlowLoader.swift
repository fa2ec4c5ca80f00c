import AsyncChannels
import AsyncChannelsTesting
import AsyncViewModels
import TestSupport

/// Loads the user with the number n in n seconds of a test's clock, cancelled or not. There are the users 1 to 9;
/// others fail.
struct SlowLoader: UserLoader {
  struct Unknown: Error {}

  /// Who was asked for.
  let begun = Record<User.ID>()
  private let clock: TestClock

  init(_ clock: TestClock) {
    self.clock = clock
  }

  func user(_ id: User.ID) async throws -> User {
    begun.add(id)
    await clock.sleepThrough(.seconds(id))
    guard (1...9).contains(id) else { throw Unknown() }
    return User(id: id, name: "user \(id)")
  }
}

extension ProfileViewModel.State {
  /// To compare with.
  var text: String {
    switch self {
    case .isLoading: "loading"
    case .failed: "failed"
    case .loaded(let user): user.name
    }
  }
}
