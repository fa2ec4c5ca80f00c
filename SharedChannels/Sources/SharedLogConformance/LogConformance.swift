import Foundation
import SharedChannels

/// Checks whether an engine keeps the promises of ``SharedLog``. Call it from a test of any framework:
///
/// ```swift
/// func test_conforms() async throws {
///   for check in LogConformance.Check.allCases {
///     try await LogConformance(MyEngine()).run(check)
///   }
/// }
/// ```
///
/// Each run uses a new log. The checks take about half a minute together. An engine that looks for entries at
/// intervals should do so rarely in the tests: then it is noticed if it is not told of them.
public struct LogConformance: Sendable {
  /// What is checked.
  public enum Check: String, CaseIterable, Sendable {
    /// Batches are read in their order, by all handles, at the places that the receipts tell.
    case order
    /// Of several entries with one key the log keeps the first: in one batch, in another one, on another handle.
    case keys
    /// When all handles are closed, a new one finds entries, keys, positions and snapshots.
    case restart
    /// A reader at the end gets what is appended later, by its own handle or another, and holds up no other call.
    case waiting
    /// A reader that waits ends with its task.
    case cancelling
    /// A reader that was away for 3,000 entries gets all of them, and appends did not wait for it.
    case slowReader
    /// Empty, binary and large entries are read as they were appended, in pages of bounded size.
    case largeEntries
    /// Four handles append at a time, partly the same keys, while two readers follow.
    case concurrentAppenders
    /// A log that was set back gets another epoch, and tells each reader.
    case epochs
    /// The newest snapshot of each version is kept, if its position is in the log.
    case snapshots
    /// An entry that is made blank keeps its place and its key, and all machines begin anew without its content. Ends
    /// where the engine refuses it.
    case blanking
    /// Old entries are deleted with their keys, but none that no snapshot has, and a reader at one of them is told. Ends
    /// where the engine refuses it.
    case compaction
    /// Single entries are deleted with their keys, and all that could make a state of the rest, and all machines begin anew.
    /// Ends where the engine refuses it.
    case deletion
    /// A process that appends is killed, several times. What it acknowledged is there, each batch is whole, and
    /// nothing is there twice. Skipped if there is no ``LogUnderTest/appender(_:)``.
    case killedAppender
  }

  let engine: any LogUnderTest
  private let limit: Duration

  /// - Parameters:
  ///   - engine: What is checked.
  ///   - limit: How long a check may take; then it fails.
  public init(_ engine: any LogUnderTest, limit: Duration = .seconds(60)) {
    (self.engine, self.limit) = (engine, limit)
  }

  /// - Throws: ``ConformanceFailure``, or what the engine has thrown.
  public func run(_ check: Check) async throws {
    let run = CheckRun(check: check, engine: engine)
    try await run.within(limit, "the check is over") { try await run.perform() }
  }
}

/// One check, on a log of its own.
struct CheckRun: Sendable {
  let check: LogConformance.Check
  let engine: any LogUnderTest
  let name = "log" + UUID().uuidString.lowercased().filter(\.isHexDigit).prefix(16)

  func perform() async throws {
    switch check {
    case .order: try await checkOrder()
    case .keys: try await checkKeys()
    case .restart: try await checkRestart()
    case .waiting: try await checkWaiting()
    case .cancelling: try await checkCancelling()
    case .slowReader: try await checkSlowReader()
    case .largeEntries: try await checkLargeEntries()
    case .concurrentAppenders: try await checkConcurrentAppenders()
    case .epochs: try await checkEpochs()
    case .snapshots: try await checkSnapshots()
    case .blanking: try await checkBlanking()
    case .compaction: try await checkCompaction()
    case .deletion: try await checkDeletion()
    case .killedAppender: try await checkKilledAppender()
    }
  }

  func open() async throws -> any SharedLog {
    try await engine.open(name)
  }

  func require(_ isTrue: Bool, _ reason: @autoclosure () -> String) throws {
    if !isTrue { throw ConformanceFailure(check: check, reason: reason()) }
  }

  /// Fails if the work takes too long, and then does not wait for it: it may ignore that it is cancelled. Hence the
  /// tasks are not children of this one.
  func within<Value: Sendable>(
    _ limit: Duration, _ what: String, _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let (results, first) = AsyncThrowingStream.makeStream(of: Value.self)
    let working = Task {
      do {
        first.yield(try await work())
      } catch {
        first.finish(throwing: error)
      }
    }
    let timing = Task {
      try await Task.sleep(for: limit)
      first.finish(
        throwing: ConformanceFailure(check: check, reason: "after \(limit) not yet: \(what)"))
    }
    defer {
      working.cancel()
      timing.cancel()
    }
    for try await result in results { return result }
    throw CancellationError()
  }
}
