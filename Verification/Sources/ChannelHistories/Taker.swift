import AsyncChannels
import Proof

/// A consumer's task, which runs when the history says so, and what it has taken.
final class Taker: Sendable {
  private let executor = SteppedExecutor()
  private let record: Monitor<Observation.Consumer>
  private let pause: Pause
  private let task: Task<Void, Never>

  init<Element: Numbered>(
    _ number: Int, of subscription: Subscription<Element>, wanted: Int, pace: Int,
    inBatches: Bool
  ) {
    let record = Monitor(Observation.Consumer(number: number))
    let pause = Pause()
    self.record = record
    self.pause = pause
    task = Task(executorPreference: executor) {
      if inBatches {
        let batches = subscription.batches(ofAtMost: pace).makeAsyncIterator()
        // No batch is held during a pause, or its elements would be in memory.
        while let numbers = await batches.next()?.map({ $0.number }) {
          record.withLock { $0.taken += numbers }
          if pace != .max { await pause.begin() }
        }
      } else if wanted == 1 {
        if let element = await subscription.next() { record.take(element.number) }
      } else {
        let iterator = subscription.makeAsyncIterator()
        for count in 0..<wanted {
          if count > 0, count.isMultiple(of: pace) { await pause.begin() }
          if Task.isCancelled { break }
          guard let element = await iterator.next() else {
            // Nil is nil for good: at the end, and for an iterator that was displaced.
            if !Task.isCancelled, let more = await iterator.next() { record.take(more.number) }
            break
          }
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
    pause.end()
    _ = executor.run(atMost: seconds) { expected == observation }
  }
}

/// Where a consumer stands still between two elements, cancelled or not.
private final class Pause: Sendable {
  private let waiting = Monitor<CheckedContinuation<Void, Never>?>(nil)

  func begin() async {
    await withCheckedContinuation { continuation in
      waiting.withLock { $0 = continuation }
    }
  }

  func end() {
    waiting.withLock { $0.take() }?.resume()
  }
}

extension Monitor<Observation.Consumer> {
  fileprivate func take(_ number: Int) {
    withLock { $0.taken.append(number) }
  }
}
