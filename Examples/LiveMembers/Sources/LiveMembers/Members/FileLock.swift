import Foundation

/// A file that one process has at a time. The system takes it back when the process ends, however it does.
final class FileLock: Sendable {
  private let descriptor: Int32

  /// Nil if another has it.
  init?(path: String) throws {
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      throw StoreFailure(
        changedNothing: true,
        reason: "unable to open database file: \(path): \(String(cString: strerror(errno)))")
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return nil }
  }

  deinit {
    close(descriptor)
  }
}
