import Foundation

/// A state with its place in the log. It is the one place where entries become state, and where gaps are found.
struct Fold<State: SharedState> {
  private(set) var state: State
  /// The last entry that was applied; nil at the log's beginning.
  private(set) var position: Position?

  init(_ state: State) {
    self.state = state
  }

  /// Fails if the snapshot cannot be decoded: then the log is read from its beginning.
  init?(_ snapshot: Snapshot) {
    guard let state = try? JSONDecoder().decode(State.self, from: snapshot.data) else { return nil }
    (self.state, position) = (state, snapshot.position)
  }

  /// Applies the entries that come next.
  ///
  /// - Throws: ``LogFailure/gap(after:found:)``, ``LogFailure/otherEpoch(_:)`` or ``UnreadableEntry``; the entries
  ///   before were applied.
  mutating func apply(_ entries: [Logged<Data>]) throws -> [Applied<State>] {
    let decoder = JSONDecoder()
    return try entries.map { entry in
      try checkNext(entry.position)
      let command = try decode(entry, with: decoder)
      let reply = state.apply(command)
      position = entry.position
      return Applied(position: entry.position, key: entry.key, command: command, reply: reply)
    }
  }

  func snapshot() throws -> Snapshot? {
    guard let position else { return nil }
    return Snapshot(
      version: State.version, position: position, data: try JSONEncoder().encode(state))
  }

  private func checkNext(_ next: Position) throws(LogFailure) {
    if let position, next.epoch != position.epoch { throw .otherEpoch(next.epoch) }
    let last = position?.index ?? 0
    guard next.index == last + 1 else { throw .gap(after: last, found: next.index) }
  }

  private func decode(_ entry: Logged<Data>, with decoder: JSONDecoder) throws -> State.Command {
    do {
      return try decoder.decode(State.Command.self, from: entry.value)
    } catch {
      throw UnreadableEntry(position: entry.position, reason: "\(error)")
    }
  }
}
