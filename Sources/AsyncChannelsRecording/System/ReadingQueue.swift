import AsyncChannels

#if canImport(Dispatch)
  import Dispatch

  /// Where what is recorded is read: one thing after the other, beside the program.
  struct ReadingQueue: Sendable {
    private let queue = DispatchQueue(label: "AsyncChannels.Recording.reader")

    func add(after pause: Duration = .zero, _ work: @escaping @Sendable () -> Void) {
      queue.asyncAfter(deadline: .now() + pause / .seconds(1), execute: work)
    }

    /// Whether the work, and all that was added before it without a pause, was done in time.
    func finish(_ work: @escaping @Sendable () -> Void, within limit: Duration) -> Bool {
      let done = DispatchSemaphore(value: 0)
      queue.async {
        work()
        done.signal()
      }
      return done.wait(timeout: .now() + limit / .seconds(1)) == .success
    }
  }
#else
  /// Where what is recorded is read: between the jobs of the only thread.
  struct ReadingQueue: Sendable {
    func add(after pause: Duration = .zero, _ work: @escaping @Sendable () -> Void) {
      Task.detached {
        try? await ContinuousClock().sleep(for: pause)
        work()
      }
    }

    /// Nothing else runs meanwhile.
    func finish(_ work: @escaping @Sendable () -> Void, within limit: Duration) -> Bool {
      work()
      return true
    }
  }
#endif
