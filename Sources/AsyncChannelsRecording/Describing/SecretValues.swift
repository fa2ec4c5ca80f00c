import AsyncChannels
import Synchronization

/// The texts and numbers that were sent in lanes of secrets, so that they are hidden in other lanes,
/// too: what is refused by `answer(.firstOnly, ignored:)`, or what a task sends on.
///
/// Only their hashes are kept. Those of less than four characters are left out: they tell little, and
/// would hide much.
final class SecretValues: Sendable {
  private let hashes = Locked<Set<Int>>([])
  private let isEmpty = Atomic(true)
  private static let limit = 10_000

  /// Relaxed: a value that a task sends on was added before that task could take it, and the log's
  /// lock orders both.
  var areNone: Bool { isEmpty.load(ordering: .relaxed) }

  func add(_ text: String) {
    guard text.utf8.count > 3 else { return }
    hashes.withLock { if $0.count < Self.limit { $0.insert(text.hashValue) } }
    isEmpty.store(false, ordering: .relaxed)
  }

  func contains(_ text: String) -> Bool {
    guard !areNone, text.utf8.count > 3 else { return false }
    return hashes.withLock { $0.contains(text.hashValue) }
  }
}
