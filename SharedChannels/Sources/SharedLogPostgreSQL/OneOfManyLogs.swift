import AsyncChannels
import Foundation
import SharedChannels

/// One of the logs of ``PostgresLogs``.
struct OneOfManyLogs: SharedLog {
  let name: String
  let logs: PostgresLogs
  let news: LogNews.Following

  func append(_ batch: [Keyed<Data>]) async throws -> [Receipt] {
    guard !batch.isEmpty else { return [] }
    let append = LogAppend(batch: batch, following: news)
    return try await answer(of: logs.appends.inlet.ask(append)).map(\.receipt)
  }

  func entries(after known: Position?) async throws -> [Logged<Data>] {
    for await reasons in news.reasons.outlet.subscribe(buffering: .bufferingNewest(1)) {
      if let own = news.takeOwn(after: known) { return own }
      if news.hasAll(upTo: known, for: reasons) { continue }
      let read = LogRead(known: known, following: news)
      guard let page = try await answer(of: logs.reads.inlet.ask(read)) else {
        news.note(known, for: reasons)
        continue
      }
      switch page {
      case .entries(let entries, isLast: let isLast):
        if isLast { news.note(entries.last?.position, for: reasons) }
        return entries
      case .otherEpoch(let epoch): throw LogFailure.otherEpoch(epoch)
      case .gap(let index, let found): throw LogFailure.gap(after: index, found: found)
      case .isLost(let lost):
        throw LogFailure.otherEpoch(
          try await call(
            "begin_epoch", .text(lost.epoch), .integer(lost.index), .integer(lost.mark), tells: true
          ) {
            $0.text(0, 0)
          })
      }
    }
    throw CancellationError()
  }

  func end() async throws -> Position { try await call("last") { $0.position(0) } }

  func snapshot(upToVersion version: Int) async throws -> Snapshot? {
    try await call("newest_snapshot", .integer(version)) { $0.snapshot }
  }

  func keep(_ snapshot: Snapshot) async throws {
    let position = snapshot.position
    try await call(
      "keep", .integer(snapshot.version), .text(position.epoch), .integer(position.index),
      .integer(position.mark), .bytes(snapshot.data)
    ) { _ in }
  }

  func blank(_ position: Position) async throws {
    defer { news.forgetOwn() }
    try await call(
      "blank", .text(position.epoch), .integer(position.index), .integer(position.mark), tells: true
    ) { _ in }
  }

  func compact(before index: Int64, behind snapshot: Position) async throws -> Int {
    defer { news.forgetOwn() }
    return try await call(
      "compact", .integer(index), .text(snapshot.epoch), .integer(snapshot.index),
      .integer(snapshot.mark)
    ) { Int($0.integer(0, 0)) }
  }

  private func call<Value: Sendable>(
    _ function: String, _ values: PostgresValue..., tells: Bool = false,
    read: @escaping @Sendable (PostgresRows) throws -> Value
  ) async throws -> Value {
    var calls = [PostgresCall(function, [.text(name)] + values)]
    // All machines, and this one.
    if tells { calls.append(PostgresCall(PostgresCall.tell.name, .text(""))) }
    // Of that type, since `read` made it.
    return try await answer(of: logs.calls.inlet.ask(LogCall(calls: calls, read: read))) as! Value
  }

  /// There is none if this task was cancelled.
  private func answer<Value>(of reply: Result<Value, any Error>?) throws -> Value {
    guard let reply else {
      try Task.checkCancellation()
      throw LogFailure.unreachable("the request to the database was dropped")
    }
    return try reply.get()
  }
}
