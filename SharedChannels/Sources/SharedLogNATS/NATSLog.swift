public import Foundation
public import SharedChannels

/// A log in a JetStream stream of NATS servers, for any number of machines. With three replicas, two servers have
/// each entry before it is acknowledged, and the log goes on when one server fails.
///
/// JetStream before 2.10 lets the operating system decide when it writes a file to the disk. An acknowledged entry is
/// lost if a majority of the replicas lose their power at the same time. Servers from 2.10 on have the setting
/// `sync_interval: always`, which prevents that.
///
/// A log has two connections, each with a thread: one appends, and one reads. It makes them when it needs them, and
/// makes them again when they are lost.
///
/// **Limits.** The server's `max_payload` must be at least 9 MiB, since a batch is one message. A connection is made
/// within 2 seconds for each server of the address. If a server takes 5 seconds to answer or to receive a message, the
/// call fails with ``LogFailure/unreachable(_:)``. A call that also has to connect and to find the stream fails within
/// about 20 seconds.
///
/// **Keys.** The first append reads all of the log, to learn its keys. A machine keeps 22 to 43 bytes of memory for each.
/// Give a channel a `history`, which bounds both.
public struct NATSLog: SharedLog {
  private let appending: NATSSession
  private let reading: NATSSession

  /// Connects with the first call, and makes the stream if it is missing.
  ///
  /// - Parameters:
  ///   - address: Where the servers are.
  ///   - name: Which log of the servers: a lower-case letter, then up to 50 lower-case letters, digits and `_`.
  ///     Anything else traps. It is the name of the stream, and its subjects begin with it.
  ///   - replicas: How many servers have the log: 1 to 5. Anything else traps. A stream that is there must have at
  ///     least as many. Servers before 2.11 are refused if there are several, since their replicas may come to differ.
  public init(_ address: NATSAddress, name: String = "shared_log", replicas: Int = 1) {
    precondition(
      name.wholeMatch(of: /[a-z][a-z0-9_]{0,50}/) != nil,
      "\"\(name)\" is not the name of a log: a-z, then at most 50 of a-z, 0-9 and _.")
    precondition(1...5 ~= replicas, "A stream has 1 to 5 replicas, not \(replicas).")
    appending = NATSSession(address, name, replicas)
    reading = NATSSession(address, name, replicas)
  }

  public func append(_ batch: [Keyed<Data>]) async throws -> [Receipt] {
    if batch.isEmpty { return [] }
    return try await appending.call { try $0.append(batch) }
  }

  public func entries(after position: Position?) async throws -> [Logged<Data>] {
    try await reading.call { try $0.entries(after: position) }
  }

  public func end() async throws -> Position {
    try await appending.call { try $0.end() }
  }

  public func snapshot(upToVersion version: Int) async throws -> Snapshot? {
    try await appending.call { try $0.snapshot(upToVersion: version) }
  }

  public func keep(_ snapshot: Snapshot) async throws {
    try await appending.call { try $0.keep(snapshot) }
  }

  public func blank(_ position: Position) async throws {
    try await appending.call { try $0.blank(position) }
  }

  public func compact(before index: Int64, behind snapshot: Position) async throws -> Int {
    try await appending.call { try $0.compact(before: index, behind: snapshot) }
  }
}

/// One connection to a log, which is made again when it was lost. It blocks the thread that calls it.
private actor NATSSession {
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private let executor = QueueExecutor("NATS")
  private let address: NATSAddress
  private let name: String
  private let replicas: Int
  private var stream: NATSStream?
  private var keys = NATSKeys()

  init(_ address: NATSAddress, _ name: String, _ replicas: Int) {
    (self.address, self.name, self.replicas) = (address, name, replicas)
  }

  /// After an error, answers may still be to come, or the log may be another: the next call has a new connection.
  func call<Value: Sendable>(_ body: @Sendable (NATSStream) throws -> Value) throws -> Value {
    try Task.checkCancellation()
    let stream = try self.stream ?? NATSStream(address, name: name, replicas: replicas, keys)
    self.stream = nil
    defer { keys = stream.keys }
    let value = try body(stream)
    self.stream = stream
    return value
  }
}
