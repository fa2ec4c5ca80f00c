public import AsyncChannels
import Synchronization

// Reading what is recorded while it is recorded.
extension Recording {
  /// Calls a closure for each event, also those that are there already, for a log of your own:
  ///
  /// ```swift
  /// let logging = recording.follow { logger.trace("\($0)") }
  /// ```
  ///
  /// The calls come in order, some milliseconds later, on a thread of their own. So a slow closure delays no sender.
  /// What it has no time for stays in the recording; if that has no room for it any more, the closure is told how
  /// many events it missed.
  ///
  /// - Returns: A token that ends it when it is cancelled or dropped.
  public func follow(_ body: @escaping @Sendable (RecordedEvent) -> Void) -> CancellationToken {
    let lanes = Locked<[Int: Flow.Lane]>([:])
    return token(
      FlowReader(of: store) { batch in
        let known = lanes.withLock { lanes in
          for (number, lane) in batch.lanes { lanes[number] = lane }
          return lanes
        }
        if batch.missed > 0, let first = batch.events.first {
          body(RecordedEvent(missing: batch.missed, at: first.event.time))
        }
        for (event, pendingText) in batch.events {
          guard let lane = known[event.lane] else { continue }
          body(RecordedEvent(event, pendingText?.known, in: lane))
        }
        return true
      })
  }

  /// Writes a line of JSON for each event, as the guide *Lines of a recording* tells, by a function.
  ///
  /// It is called in order on a thread of its own, with one or more whole lines. While it waits, the program does
  /// not: see ``follow(_:)``.
  ///
  /// - Parameters:
  ///   - program: What the program is called.
  ///   - write: Returns false if it wants no more.
  public func lines(
    as program: String, by write: @escaping @Sendable (String) -> Bool
  ) -> CancellationToken {
    let lines = FlowLines(of: program)
    let hasBegun = Locked(false)
    return token(
      FlowReader(of: store) { batch in
        let isFirst = hasBegun.withLock { hasBegun in
          defer { hasBegun = true }
          return !hasBegun
        }
        return write((isFirst ? lines.head : "") + lines.of(batch))
      })
  }

  /// Writes a line of JSON for each event to a descriptor, until it is closed. A program that writes to a pipe should
  /// ignore `SIGPIPE`.
  public func lines(as program: String, to descriptor: Int32) -> CancellationToken {
    lines(as: program) { System.writeText($0, to: descriptor) }
  }

  /// Shows the flow in an inspector, and connects again whenever that was restarted.
  ///
  /// ```swift
  /// let inspecting = Recording.ofProgram().inspect(as: "members")
  /// ```
  ///
  /// While there is no inspector, this costs an attempt to connect each second, and the recording.
  ///
  /// - Parameters:
  ///   - program: What the program is called there.
  ///   - address: `host:port`, or `unix:` and a path.
  ///   - secret: What an inspector asks for that listens beyond its own machine.
  public func inspect(
    as program: String, at address: String = "127.0.0.1:4243", token secret: String? = nil
  ) -> CancellationToken {
    let lines = FlowLines(of: program, token: secret)
    let connection = InspectorConnection(to: address, head: lines.head)
    let reader = FlowReader(of: store) { batch in
      connection.write { lines.of(batch) }
      return true
    }
    reader.beginAgain(whenever: connection.hasConnected)
    return CancellationToken {
      reader.cancel()
      connection.close()
    }
  }

  /// Waits until all that was recorded so far was followed and written, at most so long. Call it before the program
  /// ends; it blocks its thread.
  ///
  /// - Returns: Whether it was in time.
  @discardableResult
  public func flush(atMost limit: Duration = .seconds(1)) -> Bool {
    let deadline = ContinuousClock.now + limit
    let readers = store.withState { $0.readers.compactMap(\.reader) }
    return readers.allSatisfy { $0.flush(within: deadline - .now) }
  }

  private func token(_ reader: FlowReader) -> CancellationToken {
    CancellationToken { reader.cancel() }
  }
}
