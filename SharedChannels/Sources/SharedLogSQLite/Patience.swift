import Foundation
import Synchronization

/// Limits how long a write waits while another program has locked the file: five seconds, or until its task is cancelled.
/// SQLite waits inside a call, where it does not hear of a cancelled task.
final class Patience: Sendable {
  /// The write that has the connection, one at a time.
  private let current = Mutex<Wish?>(nil)

  /// Whether the task of a write still wants it. (The flag orders nothing else.)
  final class Wish: Sendable {
    private let isOver = Atomic(false)
    var isOpen: Bool { !isOver.load(ordering: .relaxed) }
    func end() { isOver.store(true, ordering: .relaxed) }
  }

  /// Called by a write that has the connection, before it begins its transaction.
  func begin(_ wish: Wish) {
    current.withLock { $0 = wish }
  }

  /// What SQLite asks on the writer's thread, each time that it has found the file locked.
  @Sendable func goesOn(after tries: Int) -> Bool {
    guard tries < 500, current.withLock({ $0?.isOpen }) ?? true else { return false }
    Thread.sleep(forTimeInterval: 0.01)
    return true
  }
}
