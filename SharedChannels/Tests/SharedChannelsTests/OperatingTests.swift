import AsyncChannels
import Foundation
import InMemoryLogging
import InMemoryTracing
import Logging
import Metrics
import MetricsTestKit
import SharedChannels
import Tracing
import XCTest

/// A name for each visitor, for whom a mail waits.
private struct Visitors: SharedState {
  enum Command: Codable, Sendable {
    case enter(String)
    case mails(Outbox<Mail>.Command)
  }
  struct Mail: Codable, Sendable { let name: String }

  private(set) var mails = Outbox<Mail>()

  mutating func apply(_ command: Command) -> Int {
    switch command {
    case .enter(let name): mails.add(Mail(name: name), key: name)
    case .mails(let command): mails.apply(command)
    }
    return mails.waiting.count
  }
}

/// What an operator sees of a channel: swift-metrics, swift-distributed-tracing and swift-log.
final class OperatingTests: XCTestCase {
  // A process has one of each, for good.
  private static let metrics: TestMetrics = {
    let metrics = TestMetrics()
    MetricsSystem.bootstrap(metrics)
    return metrics
  }()
  private static let tracer: InMemoryTracer = {
    let tracer = InMemoryTracer()
    InstrumentationSystem.bootstrap(tracer)
    return tracer
  }()
  private let dimensions = [("state", "Visitors")]

  private func count(_ name: String) throws -> Int {
    let counter = try Self.metrics.expectCounter("shared_channel_\(name)", dimensions)
    return Int(counter.totalValue)
  }

  private func times(_ name: String) throws -> [Int64] {
    try Self.metrics.expectTimer("shared_channel_\(name)", dimensions).values
  }

  func test_metricsHaveWhatIsCountedAndMeasured() async throws {
    Self.metrics.reset()
    let log = ScriptedLog()
    let backup = log.storage.backUp()
    let channel = SharedChannel(Visitors(), log: log, batchSize: 10, snapshotInterval: 5)
    log.failAppends(.before(LogFailure.unreachable("no network")))
    try await running(channel) {
      for name in ["Ann", "Bob", "Cleo", "Ann"] {
        _ = await channel.commands.ask(Keyed(key: name, .enter(name)))
      }
      _ = await channel.commands.ask(Keyed(key: "", .enter("nobody")))
      // One whose author had it an hour ago.
      let hourAgo = Int64(Date.now.timeIntervalSince1970 - 3_600) * 1_000
      let bytes = Data("\u{1}1 \(hourAgo) afar\n{\"enter\":{\"_0\":\"Dan\"}}".utf8)
      _ = try await log.append([Keyed(key: "Dan", bytes)])
      for await state in channel.state where state.position?.index == 4 { break }
      log.storage.restore(backup)
      for await health in channel.health where health.restarts == 1 && health.isReady { break }
    }
    let counts = await channel.counts
    XCTAssertEqual(counts.applied, 4)
    XCTAssertEqual(counts.repeated, 1)
    for (name, expected) in [
      ("applied", counts.applied), ("batches", counts.batches), ("appended", counts.appended),
      ("repeated", counts.repeated), ("not_stored", counts.notStored),
      ("failed_appends", counts.failedAppends), ("failed_reads", counts.failedReads),
      ("snapshots", counts.snapshots), ("failed_snapshots", counts.failedSnapshots),
      ("abandoned", counts.abandoned), ("deleted", counts.deleted), ("restarts", 1),
    ] { XCTAssertEqual(try count(name), expected, name) }
    XCTAssertGreaterThanOrEqual(counts.failedAppends, 1)
    XCTAssertEqual(counts.notStored, 1)
    let sizes = try Self.metrics.expectRecorder("shared_channel_batch_size", dimensions).values
    XCTAssertEqual(sizes, [1, 1, 1, 1])
    XCTAssertEqual(try times("append_time").count, counts.batches)
    let lags = try times("lag").map { Double($0) / 1e9 }
    XCTAssertEqual(lags.count, 4)
    XCTAssertTrue(lags.dropLast().allSatisfy { 0..<60 ~= $0 }, "\(lags)")
    XCTAssertEqual(lags.last ?? 0, 3_600, accuracy: 60)
  }

  func test_metricsHaveTheEffectsThatWaitAndThoseThatAreParked() async throws {
    Self.metrics.reset()
    let channel = SharedChannel(Visitors(), log: MemoryLog())
    let worker = OutboxWorker(
      channel, \.mails, command: { .mails($0) }, tries: 1
    ) { mail, _ in
      struct WrongAddress: Error {}
      if mail.name == "Ann" { throw WrongAddress() }
      try await Task.sleep(for: .seconds(600))
    }
    try await running(channel, worker) {
      for name in ["Ann", "Bob", "Cleo"] {
        _ = await channel.commands.ask(Keyed(key: name, .enter(name)))
      }
      func last(_ name: String) -> Double? {
        let gauge = try? Self.metrics.expectGauge("outbox_\(name)", [("effect", "Mail")])
        return gauge?.lastValue
      }
      while last("waiting") != 2 || last("parked") != 1 {
        try await Task.sleep(for: .milliseconds(1))
      }
    }
  }

  func test_anAppendIsASpanThatIsLinkedToThoseOfWhoAsked() async throws {
    _ = Self.tracer
    let log = ScriptedLog()
    let channel = SharedChannel(Visitors(), log: log)
    log.failAppends(.before(LogFailure.unreachable("no network")))
    let asked = try await running(channel) {
      await withSpan("request") { span in
        _ = await channel.commands.ask(Keyed(key: "Ann", .enter("Ann")))
        return span.context.inMemorySpanContext?.spanID
      }
    }
    let appends = Self.tracer.finishedSpans.filter { $0.operationName == "append to Visitors" }
      .filter { span in
        span.links.contains { $0.context.inMemorySpanContext?.spanID == asked }
      }
    XCTAssertEqual(appends.count, 2)
    XCTAssertEqual(appends.map { $0.errors.count }, [1, 0])
    XCTAssertEqual(appends.map { $0.parentSpanID }, [nil, nil])
    for span in appends { XCTAssertEqual(span.attributes.get("batch.size"), .int64(1)) }
  }

  func test_theLoggerIsToldWhatChangesInTheHealth() async throws {
    let handler = InMemoryLogHandler()
    let log = ScriptedLog()
    let backup = log.storage.backUp()
    let channel = SharedChannel(
      Visitors(), log: log, logger: Logger(label: "visitors", factory: { _ in handler }))
    log.failAppends(.before(LogFailure.refused("the disk is full")))
    try await running(channel) {
      _ = await channel.commands.ask(Keyed(key: "Ann", .enter("Ann")))
      for await health in channel.health where health.appendFailure == nil { break }
      _ = await channel.commands.ask(Keyed(key: "Bob", .enter("Bob")))
      log.storage.restore(backup)
      for await health in channel.health where health.restarts == 1 && health.isReady { break }
      _ = try await log.append([Keyed(key: "new", Data("\u{1}2 0 new\n".utf8))])
      while !handler.entries.contains(where: { $0.message == "the version is replaced by 2" }) {
        try await Task.sleep(for: .milliseconds(1))
      }
    }
    let lines = handler.entries.map { entry in
      let reason = entry.metadata["reason"].map { " (\($0))" } ?? ""
      return "\(entry.level): \(entry.message)\(reason)"
    }
    XCTAssertTrue(
      handler.entries.allSatisfy {
        $0.metadata["state"] == "Visitors" && $0.metadata["version"] == "1"
      })
    for line in [
      "notice: the state has been read",
      "warning: the log cannot be appended to (the disk is full)",
      "notice: the log can be appended to again",
      "warning: the channel begins anew with what the log has",
      "notice: the version is replaced by 2",
    ] { XCTAssertTrue(lines.contains(line), "\(line) is not in \(lines)") }
  }
}
