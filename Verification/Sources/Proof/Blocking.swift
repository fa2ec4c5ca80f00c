import Foundation

/// Blocks this thread, which must not be one of the tasks', until asynchronous work is done.
package func blocking<Result: Sendable>(
  _ work: @escaping @Sendable () async -> Result
) -> Result {
  let result = Monitor<Result?>(nil)
  Tasks.start {
    let value = await work()
    result.change { $0 = value }
  }
  return result.wait { $0 }!
}

/// Blocks until something holds that need not hold at once; false if it does not in that time.
package func eventually(within seconds: Int, _ condition: () -> Bool) -> Bool {
  let end = ContinuousClock.now + .seconds(seconds)
  while !condition() {
    if ContinuousClock.now > end { return false }
    usleep(20)
  }
  return true
}
