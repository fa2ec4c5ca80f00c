import Dispatch
import Foundation
import TestSupport

/// Runs synchronous code on a thread whose stack is a quarter of those of secondary threads elsewhere.
func onSmallStack(_ code: @escaping @Sendable () -> Void) async throws {
  try await onThreads(1, stackSize: 128 << 10) { _ in code() }
}

/// Runs synchronous code on threads of its own, where it may wait for another of them.
func onThreads(
  _ count: Int, stackSize: Int = 512 << 10, _ code: @escaping @Sendable (Int) -> Void
) async throws {
  let gates = (0..<count).map { _ in Gate() }
  for (index, done) in gates.enumerated() {
    let thread = Thread {
      code(index)
      done.open()
    }
    thread.stackSize = stackSize
    thread.start()
  }
  for done in gates { try await within(.seconds(60)) { await done.pass() } }
}

/// Returns when another thread has done it; this one waits.
func onAnotherThread(_ code: @escaping @Sendable () -> Void) {
  let isDone = DispatchSemaphore(value: 0)
  Thread.detachNewThread {
    code()
    isDone.signal()
  }
  isDone.wait()
}
