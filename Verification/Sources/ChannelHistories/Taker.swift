import AsyncChannels
import Proof

/// A consumer's task, which runs when the history says so, and what it has taken.
final class Taker: Sendable {
  private let executor = SteppedExecutor()
  private let record: Monitor<Observation.Consumer>
  private let task: Task<Void, Never>

  init<Element: Numbered>(_ number: Int, of subscription: Subscription<Element>, wanted: Int) {
    let record = Monitor(Observation.Consumer(number: number))
    self.record = record
    task = Task(executorPreference: executor) {
      if wanted == 1 {
        if let element = await subscription.next() { record.take(element.number) }
      } else {
        let iterator = subscription.makeAsyncIterator()
        for _ in 0..<wanted {
          guard let element = await iterator.next() else { break }
          record.take(element.number)
        }
      }
      record.withLock { $0.hasEnded = true }
    }
  }

  var observation: Observation.Consumer { record.withLock { $0 } }

  func cancel() {
    task.cancel()
  }

  /// Runs until it is as expected, or nothing has happened for so long.
  func run(atMost seconds: Double, until expected: Observation.Consumer?) {
    _ = executor.run(atMost: seconds) { expected == observation }
  }
}

extension Monitor<Observation.Consumer> {
  fileprivate func take(_ number: Int) {
    withLock { $0.taken.append(number) }
  }
}
