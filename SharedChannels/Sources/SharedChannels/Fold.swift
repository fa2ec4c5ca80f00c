import Foundation

/// A state with its place in the log. It is the one place where entries become state, and where gaps are found.
struct Fold<State: SharedState> {
  private(set) var state: State
  /// The last entry that was applied; nil at the log's beginning.
  private(set) var position: Position?
  /// The newest version of a program that has appended; 0 as long as no entry tells its version.
  private(set) var version = 0

  init(_ state: State) {
    self.state = state
  }

  /// - Throws: If the snapshot cannot be decoded: then the log is read from its beginning.
  init(_ snapshot: Snapshot) throws {
    guard let record = Record(snapshot.data) else { throw CocoaError(.coderReadCorrupt) }
    let content = Data(record.content ?? Data())
    if snapshot.version == State.version {
      state = try JSONDecoder().decode(State.self, from: content)
    } else if let upcast = try State.upcast(state: content, from: snapshot.version) {
      state = upcast
    } else {
      throw NoUpcast(version: snapshot.version)
    }
    position = snapshot.position
    version = record.origin?.version ?? 0
  }

  private struct NoUpcast: Error, CustomStringConvertible {
    let version: Int
    var description: String { "upcast(state:from:) makes nothing of a state of version \(version)" }
  }

  /// Applies the entries that come next. Blank ones only take their place.
  ///
  /// - Parameter applied: Gets what was applied, also if an error is thrown.
  /// - Throws: ``LogFailure/gap(after:found:)``, ``LogFailure/otherEpoch(_:)`` or ``Obstacle``; the entries before were
  ///   applied.
  mutating func apply(_ entries: [Logged<Data>], into applied: inout [Applied<State>]) throws {
    let decoder = JSONDecoder()
    for entry in entries {
      try checkNext(entry.position)
      let (origin, command) = try Self.read(entry, with: decoder)
      if let command {
        let reply = state.apply(command)
        applied.append(
          Applied(
            position: entry.position, key: entry.key, origin: origin, command: command,
            reply: reply))
      }
      position = entry.position
      version = max(version, origin?.version ?? 0)
    }
  }

  /// What the program's version is at this place of the log.
  /// (Entries that tell no version are those of version 1, or older than that.)
  var role: Health.Role { max(1, version) < State.version ? .waiting : .current }

  /// - Parameter author: Who makes it.
  func snapshot(by author: String) throws -> Snapshot? {
    guard let position else { return nil }
    // The log may have none of the entries that tell the version any more, for a reader that begins here.
    let header = Record.header(version: version, author: author)
    return Snapshot(
      version: State.version, position: position, data: header + (try JSONEncoder().encode(state)))
  }

  private func checkNext(_ next: Position) throws(LogFailure) {
    if let position, next.epoch != position.epoch { throw .otherEpoch(next.epoch) }
    let last = position?.index ?? 0
    guard next.index == last + 1 else { throw .gap(after: last, found: next.index) }
  }

  /// The command of an entry; nil if it is blank.
  static func read(
    _ entry: Logged<Data>, with decoder: JSONDecoder
  ) throws(Obstacle) -> (origin: Origin?, command: State.Command?) {
    guard let record = Record(entry.value) else {
      throw Obstacle(position: entry.position, reason: "its beginning is that of no entry")
    }
    let version = record.origin?.version ?? 0
    if version > State.version { throw Obstacle(position: entry.position, version: version) }
    guard let content = record.content else { return (record.origin, nil) }
    do {
      let current =
        version < State.version ? try State.upcast(Data(content), from: version) : content
      return (record.origin, try decoder.decode(State.Command.self, from: current))
    } catch {
      throw Obstacle(position: entry.position, reason: "\(error)")
    }
  }
}

/// An entry that this program cannot apply, or a hole in the log. A machine that left it out would have another state than
/// the others, so a channel keeps the state before it, and refuses commands.
struct Obstacle: Error, Equatable, CustomStringConvertible {
  /// That of the entry, or of one that is missing.
  let position: Position
  /// The version that has taken over with this entry; nil if it is one that this program should know.
  var version: Int? = nil
  let description: String

  init(position: Position, version: Int) {
    (self.position, self.version) = (position, version)
    description = "at entry \(position.index) of the log: version \(version) has taken over"
  }

  init(position: Position, reason: String) {
    self.position = position
    description = "at entry \(position.index) of the log: the entry cannot be decoded: \(reason)"
  }

  init(holeAfter position: Position, _ gap: LogFailure) {
    self.position = Position(epoch: position.epoch, index: position.index + 1, mark: 0)
    description = "\(gap)"
  }

  /// The log's first entries were deleted, and there is no state after them.
  init(noBeginningIn log: Position, reason: String) {
    position = Position(epoch: log.epoch, index: 1, mark: 0)
    description = "the log's first entries were deleted, and no snapshot can be used: \(reason)"
  }
}
