import AsyncChannels
import Foundation
import Logging
import Metrics
import Tracing

/// What the channels of a kind of state give to swift-metrics. Each has the dimension `state`, the state's type: so rooms
/// are counted together.
struct ChannelMetrics: Sendable {
  private static let counted: [(name: String, count: @Sendable (Counts) -> Int)] = [
    ("applied", { $0.applied }), ("batches", { $0.batches }), ("appended", { $0.appended }),
    ("repeated", { $0.repeated }), ("abandoned", { $0.abandoned }),
    ("not_stored", { $0.notStored }), ("failed_appends", { $0.failedAppends }),
    ("failed_reads", { $0.failedReads }), ("failed_snapshots", { $0.failedSnapshots }),
    ("snapshots", { $0.snapshots }), ("deleted", { $0.deleted }),
  ]
  private let counters: [Counter]
  private let restarts: Counter
  private let appendTime: Metrics.Timer
  private let batchSize: Recorder
  private let lag: Metrics.Timer

  init(of state: Any.Type) {
    let dimensions = [("state", String(reflecting: state))]
    func label(_ name: String) -> String { "shared_channel_\(name)" }
    counters = Self.counted.map { Counter(label: label($0.name), dimensions: dimensions) }
    restarts = Counter(label: label("restarts"), dimensions: dimensions)
    appendTime = Metrics.Timer(label: label("append_time"), dimensions: dimensions)
    batchSize = Recorder(label: label("batch_size"), dimensions: dimensions)
    lag = Metrics.Timer(label: label("lag"), dimensions: dimensions)
  }

  func add(_ counts: Counts, since old: Counts) {
    for (counter, kind) in zip(counters, Self.counted) {
      let added = kind.count(counts) - kind.count(old)
      if added > 0 { counter.increment(by: added) }
    }
  }

  /// A channel began anew.
  func addRestart() {
    restarts.increment()
  }

  func add(batchOf size: Int, in time: Duration) {
    appendTime.record(duration: time)
    batchSize.record(size)
  }

  /// - Parameter lag: What went by from when the author had the oldest entry of a read to when it was applied here.
  func add(lag time: Duration) {
    lag.record(duration: time)
  }
}

extension SharedChannel {
  /// Appends as a span, to which the spans of those who asked are linked: each may have a trace of its own.
  func appendInSpan(_ entries: [Keyed<Data>], for orders: [Order]) async throws -> [Receipt] {
    try await withSpan("append to \(State.self)", context: .topLevel, ofKind: .client) { span in
      span.attributes["batch.size"] = entries.count
      for order in orders {
        if let context = order.context { span.addLink(SpanLink(context: context, attributes: [:])) }
      }
      let began = ContinuousClock.now
      let receipts = try await log.append(entries)
      let time = ContinuousClock.now - began
      counts.appendTime += time
      metrics.add(batchOf: entries.count, in: time)
      return receipts
    }
  }

  /// Tells the logger what changes in the health, until the task is cancelled. Not on the actor, since a logger may wait
  /// for whoever reads its lines.
  nonisolated func logHealth() async {
    if logger == nil { return }
    for await health in condition.outlet { log(health) }
  }

  /// Tells the logger what has changed since it was told. No two calls are at the same time.
  nonisolated func log(_ health: Health) {
    logger?.tell(health, since: loggedHealth.value, of: State.self)
    loggedHealth.value = health
  }
}

extension Logger {
  fileprivate func tell<State: SharedState>(
    _ health: Health, since last: Health, of state: State.Type
  ) {
    let metadata: Metadata = ["state": "\(state)", "version": "\(State.version)"]
    if health.restarts != last.restarts {
      warning("the channel begins anew with what the log has", metadata: metadata)
    }
    let failures: [(what: String, failure: KeyPath<Health, String?>)] = [
      ("read", \.readFailure), ("appended to", \.appendFailure),
      ("given a snapshot or rid of old entries", \.snapshotFailure),
    ]
    for (what, failure) in failures where health[keyPath: failure] != last[keyPath: failure] {
      if let reason = health[keyPath: failure] {
        let metadata = metadata.merging(["reason": "\(reason)"]) { $1 }
        warning("the log cannot be \(what)", metadata: metadata)
      } else {
        notice("the log can be \(what) again", metadata: metadata)
      }
    }
    if health.isReady, !last.isReady { notice("the state has been read", metadata: metadata) }
    if health.role != last.role {
      notice("the version is \(health.role.name)", metadata: metadata)
    }
  }
}

extension Health.Role {
  fileprivate var name: String {
    switch self {
    case .current: "the one that serves"
    case .waiting: "newer than the one that serves"
    case .replaced(let version): "replaced by \(version)"
    }
  }
}
