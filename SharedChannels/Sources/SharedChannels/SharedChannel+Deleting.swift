import Foundation

extension SharedChannel {
  /// Deletes commands from the log with their keys, on all machines: for a person who is to be forgotten. First ask a command
  /// that takes the person out of the state; it may be among those that are deleted.
  ///
  /// ```swift
  /// _ = await seats.commands.ask(Keyed(key: key, .leave(name: "Ann")))
  /// try await seats.deleteCommands { $0.value.name == "Ann" }
  /// ```
  ///
  /// It appends a blank entry, stores the state, reads the log, and deletes in one step. Then the log has another epoch, and
  /// all machines begin anew with that state: ``Health/restarts`` goes up, and commands in progress get no answer.
  ///
  /// - The log's first entry and all older snapshots are deleted, too, since no state can be made of the other entries. So
  ///   other versions need ``SharedState/upcast(state:from:)-swift.type.method``, or cannot start. Stop older machines
  ///   before: they keep their last state.
  /// - A command that is asked again when its key is gone is applied a second time, one that was in progress included:
  ///   then call this again when no command of the person is in progress.
  /// - The log's first entry goes and all machines begin anew also if no command was found. Entries that `blank` made blank
  ///   are deleted, too.
  /// - Do not call it while a newer version starts, or waits to take over: that could not start any more.
  /// - Freed pages and backups of the database keep the bytes. After a backup is restored, delete again.
  ///
  /// It waits as long as ``run()`` does not run.
  ///
  /// - Parameter isDeleted: Gets each command that the log has, as ``SharedState/upcast(_:from:)-swift.type.method`` makes it
  ///   of an older version's. It is called on another thread.
  /// - Returns: How many entries were deleted, but for the first.
  /// - Throws: ``LogFailure/refused(_:)`` if this version does not serve, if a command cannot be decoded, or if the engine
  ///   cannot do it: then nothing is deleted. The log's error, if it does not answer: then nobody knows. `CancellationError`.
  @discardableResult
  public func deleteCommands(
    where isDeleted: @escaping @Sendable (Keyed<State.Command>) -> Bool
  ) async throws -> Int {
    var found = Found()
    while true {
      let last = try await newestFold().position
      if last == nil || found.last?.epoch != last?.epoch {
        found = Found()
        // The last entry of a snapshot cannot be deleted.
        try await appendBlank()
        try await keep(try await newestFold())
      }
      do {
        let newest = try await log.snapshot(upToVersion: State.version)
        if let snapshot = newest?.position, newest?.version == State.version {
          try await find(isDeleted, before: snapshot, &found)
          // That took long: another version may have taken over, or another machine stored a newer snapshot. Then only what
          // came since is looked through.
          if !found.isLookedThrough {
            found.isLookedThrough = true
            continue
          }
          if try await log.delete(found.indexes, behind: snapshot) { return found.indexes.count }
        }
      } catch LogFailure.otherEpoch, LogFailure.gap {
        // Another machine has deleted entries meanwhile, or the log was set back.
        found = Found()
      }
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  /// What is to be deleted, up to an entry.
  private struct Found: Sendable {
    var indexes: [Int64] = []
    var last: Position?
    /// Whether all was looked through once.
    var isLookedThrough = false
  }

  /// That of the log's end now; waits until this machine has read it.
  private func newestFold() async throws -> Fold<State> {
    while true {
      let isRead = try await upToDateState() != nil
      try Task.checkCancellation()
      if let hindrance { throw LogFailure.refused(hindrance) }
      if isRead, let fold { return fold }
    }
  }

  /// Not on the actor, since a log may be long.
  private nonisolated func find(
    _ isDeleted: (Keyed<State.Command>) -> Bool, before end: Position, _ found: inout Found
  ) async throws {
    let decoder = JSONDecoder()
    var new = found
    try await log.forEachEntry(after: found.last) { entry in
      guard entry.position.epoch == end.epoch else {
        throw LogFailure.otherEpoch(entry.position.epoch)
      }
      guard entry.position.index < end.index else { return }
      do {
        let command = try Fold<State>.read(entry, with: decoder).command
        // Nobody knows any more what an entry was that was made blank.
        if entry.value.isEmpty || command.map({ isDeleted(Keyed(key: entry.key, $0)) }) == true {
          new.indexes.append(entry.position.index)
        }
      } catch {
        throw LogFailure.refused("\(error)")
      }
      new.last = entry.position
    }
    found = new
  }
}
