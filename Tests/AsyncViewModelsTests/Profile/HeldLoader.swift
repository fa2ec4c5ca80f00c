import AsyncChannels
import AsyncChannelsTesting
import AsyncViewModels
import Synchronization
import TestSupport

/// Loads users when a test says so. There are the users 1 to 9; others fail.
final class HeldLoader: UserLoader {
  struct Unknown: Error {}

  let begun: Probe<Int>
  let returned: Probe<Int>
  private let begins = Channel<Int>()
  private let returns = Channel<Int>()
  private let gates = (0..<12).map { _ in Gate() }

  init(answering ids: Range<Int> = 0..<0) {
    begun = Probe(begins.outlet)
    returned = Probe(returns.outlet)
    for id in ids { answer(id) }
  }

  /// From now on.
  func answer(_ id: Int) {
    gates[id].open()
  }

  /// Ignores that it is cancelled.
  func user(_ id: User.ID) async throws -> User {
    begins.send(id)
    defer { returns.send(id) }
    await gates[id].pass()
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
