import AsyncChannels
import Foundation
import InMemoryLogging
import InMemoryTracing
import Logging
import Metrics
import MetricsTestKit
import Tracing
import XCTest

@testable import SharedChannels

/// A name for each visitor, for whom a mail waits.
struct Visitors: SharedState {
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
  private let dimensions = [("state", String(reflecting: Visitors.self))]

  private func count(_ name: String, in metrics: TestMetrics) throws -> Int {
    Int(try metrics.expectCounter("shared_channel_\(name)", dimensions).totalValue)
  }

  private func times(_ name: String, in metrics: TestMetrics) throws -> [Int64] {
    try metrics.expectTimer("shared_channel_\(name)", dimensions).values
  }

  func test_eachCountHasItsName_andWhatWasAddedIsAdded() throws {
    let metrics = TestMetrics()
    let names = [
      "applied", "batches", "appended", "repeated", "abandoned", "not_stored", "failed_appends",
      "failed_reads", "failed_snapshots", "snapshots", "deleted",
    ]
    func counts(times factor: Int) -> Counts {
      var counts = Counts()
      for (number, count) in [
        \Counts.applied, \.batches, \.appended, \.repeated, \.abandoned, \.notStored,
        \.failedAppends, \.failedReads, \.failedSnapshots, \.snapshots, \.deleted,
      ].enumerated() { counts[keyPath: count] = (number + 1) * factor }
      return counts
    }
    withMetricsFactory(metrics) {
      let channelMetrics = ChannelMetrics(of: Visitors.self)
      channelMetrics.add(counts(times: 1), since: Counts())
      channelMetrics.add(counts(times: 10), since: counts(times: 1))
    }
    for (number, name) in names.enumerated() {
      XCTAssertEqual(try count(name, in: metrics), (number + 1) * 10, name)
    }
  }

  func test_metricsHaveWhatIsCountedAndMeasured() async throws {
    let metrics = TestMetrics()
    let log = ScriptedLog()
    let backup = log.storage.backUp()
    log.failAppends(.before(LogFailure.unreachable("no network")))
    let counts = try await withMetricsFactory(metrics) {
      let channel = SharedChannel(Visitors(), log: log)
      try await running(channel) {
        for name in ["Ann", "Bob", "Cleo", "Ann"] {
          _ = await channel.commands.ask(Keyed(key: name, .enter(name)))
        }
        _ = await channel.commands.ask(Keyed(key: "", .enter("nobody")))
        // Two whose authors had them an hour ago, and now.
        let now = Int64(Date.now.timeIntervalSince1970) * 1_000
        let batch = [("Dan", now - 3_600_000), ("Eve", now)].map { name, time in
          Keyed(key: name, Data("\u{1}1 \(time) afar\n{\"enter\":{\"_0\":\"\(name)\"}}".utf8))
        }
        _ = try await log.append(batch)
        for await state in channel.state where state.position?.index == 5 { break }
        log.storage.restore(backup)
        for await health in channel.health where health.restarts == 1 && health.isReady { break }
      }
      return await channel.counts
    }
    XCTAssertEqual(counts.applied, 5)
    XCTAssertEqual(counts.failedAppends, 1)
    for (name, expected) in [
      ("applied", 5), ("batches", 4), ("appended", 4), ("repeated", 1), ("not_stored", 1),
      ("failed_appends", 1), ("failed_reads", counts.failedReads), ("restarts", 1),
    ] { XCTAssertEqual(try count(name, in: metrics), expected, name) }
    let sizes = try metrics.expectRecorder("shared_channel_batch_size", dimensions).values
    XCTAssertEqual(sizes, [1, 1, 1, 1])
    XCTAssertEqual(try times("append_time", in: metrics).count, 4)
    let lags = try times("lag", in: metrics).map { Double($0) / 1e9 }
    XCTAssertEqual(lags.count, 4)
    XCTAssertTrue(lags.dropLast().allSatisfy { 0..<60 ~= $0 }, "\(lags)")
    XCTAssertEqual(lags.last ?? 0, 3_600, accuracy: 60)
  }

  func test_metricsHaveTheEffectsThatWaitAndThoseThatAreParked() async throws {
    let metrics = TestMetrics()
    let channel = SharedChannel(Visitors(), log: MemoryLog())
    let worker = OutboxWorker(
      channel, \.mails, command: { .mails($0) }, tries: 1
    ) { mail, _ in
      struct WrongAddress: Error {}
      if mail.name == "Ann" { throw WrongAddress() }
      try await Task.sleep(for: .seconds(600))
    }
    let dimensions = dimensions + [("effect", String(reflecting: Visitors.Mail.self))]
    try await withMetricsFactory(metrics) {
      try await running(channel, worker) {
        for name in ["Ann", "Bob", "Cleo"] {
          _ = await channel.commands.ask(Keyed(key: name, .enter(name)))
        }
        func last(_ name: String) -> Double? {
          (try? metrics.expectGauge("outbox_\(name)", dimensions))?.lastValue
        }
        while last("waiting") != 2 || last("parked") != 1 {
          try await Task.sleep(for: .milliseconds(1))
        }
      }
    }
  }

  func test_anAppendIsASpanThatIsLinkedToThoseOfWhoAsked() async throws {
    let tracer = InMemoryTracer()
    let log = ScriptedLog()
    let channel = SharedChannel(Visitors(), log: log)
    log.failAppends(.before(LogFailure.unreachable("no network")))
    let asked = try await withTracer(tracer) {
      try await running(channel) {
        await withSpan("request") { span in
          _ = await channel.commands.ask(Keyed(key: "Ann", .enter("Ann")))
          return span.context.inMemorySpanContext?.spanID
        }
      }
    }
    let appends = tracer.finishedSpans.filter { $0.operationName == "append to Visitors" }
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

    // A further run tells only what is new.
    handler.clear()
    try await running(channel) { try await Task.sleep(for: .milliseconds(50)) }
    XCTAssertEqual(handler.entries.map { "\($0.message)" }, [])
  }
}
