import AsyncChannels
import Foundation
import ServiceLifecycle
import SharedChannels
import Synchronization

/// A list with refusals. Its order shows in which order commands were applied.
struct Guests: SharedState, Equatable {
  enum Command: Codable, Sendable { case add(String), remove(String) }
  enum Reply: Sendable, Equatable { case done(count: Int), unknown, isThere }

  private(set) var names: [String] = []

  mutating func apply(_ command: Command) -> Reply {
    switch command {
    case .add(let name):
      if names.contains(name) { return .isThere }
      names.append(name)
    case .remove(let name):
      guard let place = names.firstIndex(of: name) else { return .unknown }
      names.remove(at: place)
    }
    return .done(count: names.count)
  }
}

/// A log in the memory that fails, and waits, as a test wants it.
final class ScriptedLog: SharedLog {
  private struct Script {
    var appendFailures: [Failure] = []
    var isHeld = false
    var entered = 0
    var appends: [Int] = []
    var reads: [Int64] = []
    var isHiding: Int64?
    var beforeDeletion: @Sendable () async -> Void = {}
  }

  enum Failure {
    /// Nothing is stored.
    case before(any Error)
    /// The batch is stored, and the answer is lost.
    case after(any Error)
  }

  let storage: MemoryLog.Storage
  private let log: MemoryLog
  private let script = Mutex(Script())

  init(_ storage: MemoryLog.Storage = .init()) {
    (self.storage, log) = (storage, MemoryLog(storage))
  }

  /// The sizes of the batches that were appended.
  var appends: [Int] { script.withLock { $0.appends } }
  /// After which indexes entries were read.
  var reads: [Int64] { script.withLock { $0.reads } }

  func failAppends(_ failures: Failure...) { failAppends(failures) }

  func failAppends(_ failures: [Failure]) {
    script.withLock { $0.appendFailures = failures }
  }

  /// Keeps appends waiting while it is true.
  var isHeld: Bool {
    get { script.withLock { $0.isHeld } }
    set { script.withLock { $0.isHeld = newValue } }
  }

  /// How many appends have begun.
  var entered: Int { script.withLock { $0.entered } }

  /// Leaves out the entry at this index.
  func hide(_ index: Int64?) {
    script.withLock { $0.isHiding = index }
  }

  /// Does something before it deletes.
  func beforeDeletion(_ work: @escaping @Sendable () async -> Void) {
    script.withLock { $0.beforeDeletion = work }
  }

  func append(_ batch: [Keyed<Data>]) async throws -> [Receipt] {
    script.withLock { $0.entered += 1 }
    while isHeld { try await Task.sleep(for: .milliseconds(1)) }
    let failure = script.withLock { script -> Failure? in
      script.appends.append(batch.count)
      return script.appendFailures.isEmpty ? nil : script.appendFailures.removeFirst()
    }
    switch failure {
    case .before(let error): throw error
    case .after(let error):
      _ = try await log.append(batch)
      throw error
    case nil: return try await log.append(batch)
    }
  }

  func entries(after position: Position?) async throws -> [Logged<Data>] {
    script.withLock { $0.reads.append(position?.index ?? 0) }
    let entries = try await log.entries(after: position)
    return entries.filter { entry in script.withLock { $0.isHiding != entry.position.index } }
  }

  func end() async throws -> Position { try await log.end() }

  func snapshot(upToVersion version: Int) async throws -> Snapshot? {
    try await log.snapshot(upToVersion: version)
  }

  func keep(_ snapshot: Snapshot) async throws { try await log.keep(snapshot) }

  func blank(_ position: Position) async throws { try await log.blank(position) }

  func compact(before index: Int64, behind snapshot: Position) async throws -> Int {
    try await log.compact(before: index, behind: snapshot)
  }

  func delete(_ indexes: [Int64], behind snapshot: Position) async throws -> Bool {
    await script.withLock { $0.beforeDeletion }()
    return try await log.delete(indexes, behind: snapshot)
  }
}

/// The engine of somebody who has implemented what has no default.
struct KeepingLog: SharedLog {
  let log: MemoryLog
  /// How long an append takes.
  var delay = Duration.zero

  func append(_ batch: [Keyed<Data>]) async throws -> [Receipt] {
    if delay > .zero { try await Task.sleep(for: delay) }
    return try await log.append(batch)
  }

  func entries(after position: Position?) async throws -> [Logged<Data>] {
    try await log.entries(after: position)
  }

  func end() async throws -> Position { try await log.end() }

  func snapshot(upToVersion version: Int) async throws -> Snapshot? {
    try await log.snapshot(upToVersion: version)
  }

  func keep(_ snapshot: Snapshot) async throws { try await log.keep(snapshot) }
}

/// Fails a test that would wait for ever.
func within<Value: Sendable>(
  _ limit: Duration = .seconds(20), _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  try await withThrowingTaskGroup(of: Value.self) { group in
    group.addTask { try await work() }
    group.addTask {
      try await Task.sleep(for: limit)
      throw TookTooLong()
    }
    defer { group.cancelAll() }
    return try await group.next()!
  }
}

struct TookTooLong: Error {}

/// Runs channels while a closure runs.
func running<Value: Sendable>(
  _ channels: any Service..., body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  try await within {
    try await withThrowingTaskGroup(of: Value?.self) { group in
      for channel in channels {
        group.addTask {
          try await channel.run()
          return nil
        }
      }
      group.addTask { try await body() }
      defer { group.cancelAll() }
      while let value = try await group.next() {
        if let value { return value }
      }
      throw CancellationError()
    }
  }
}

extension SharedChannel<Guests> {
  func add(_ name: String, key: String = UUID().uuidString) async -> Outcome? {
    await commands.ask(Keyed(key: key, .add(name)))
  }
}

extension CommandOutcome {
  var reply: Reply? {
    if case .applied(let reply, _) = self { reply } else { nil }
  }
}
