import Foundation
import Synchronization

/// Threads that compute and nothing else, as other programs on the same machine do.
private final class BusyThreads: Sendable {
  private let count: Int
  private let isStopped = Atomic(false)
  private let begun = Tally()
  private let ended = Tally()

  /// Returns when all of them compute.
  init(_ count: Int) {
    self.count = count
    for _ in 0..<count {
      Thread.detachNewThread { [self] in
        begun.raise()
        while !isStopped.load(ordering: .relaxed) {}
        ended.raise()
      }
    }
    while begun.value < count { usleep(1_000) }
  }

  /// Returns when none of them computes any more: what is measured next must not pay for them.
  func stop() {
    isStopped.store(true, ordering: .relaxed)
    while ended.value < count { usleep(1_000) }
  }
}

/// Does some work while so many threads compute and nothing else.
func whileBusy<Result>(
  _ busyThreads: Int, _ work: () async throws -> Result
) async rethrows -> Result {
  let threads = BusyThreads(busyThreads)
  defer { threads.stop() }
  return try await work()
}
