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
  /// - A command that is asked again when its key is gone is applied a second time.
  /// - Freed pages and backups of the database keep the bytes. After a backup is restored, delete again.
  ///
  /// It waits as long as ``run()`` does not run.
  ///
  /// - Parameter isDeleted: Gets each command that the log has, as ``SharedState/upcast(_:from:)-swift.type.method`` makes it
  ///   of an older version's. It is called on another thread.
  /// - Returns: For how many commands it was true.
  /// - Throws: ``LogFailure/refused(_:)`` if this version does not serve, if a command cannot be decoded, or if the engine
  ///   cannot do it: then nothing is deleted. The log's error, if it does not answer: then nobody knows. `CancellationError`.
  @discardableResult
  public func deleteCommands(
    where isDeleted: @escaping @Sendable (Keyed<State.Command>) -> Bool
  ) async throws -> Int {
    while true {
      _ = try await newestFold()
      // The last entry of a snapshot cannot be deleted.
      try await appendBlank()
      let fold = try await newestFold()
      do {
        try await keep(fold)
        let snapshot = try await log.snapshot(upToVersion: State.version)?.position
        guard let snapshot, let position = fold.position, snapshot.isAtOrAfter(position)
        else { continue }
        let indexes = try await indexes(where: isDeleted, before: snapshot.index)
        if try await log.delete(indexes, behind: snapshot) { return indexes.count }
        // Another machine has stored a newer one.
      } catch LogFailure.otherEpoch, LogFailure.gap {
        // Another machine has deleted entries meanwhile, or the log was set back.
      }
    }
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
  private nonisolated func indexes(
    where isDeleted: (Keyed<State.Command>) -> Bool, before end: Int64
  ) async throws -> [Int64] {
    let decoder = JSONDecoder()
    var indexes: [Int64] = []
    try await log.forEachEntry { entry in
      guard entry.position.index < end else { return }
      do {
        let command = try Fold<State>.read(entry, with: decoder).command
        if let command, isDeleted(Keyed(key: entry.key, command)) {
          indexes.append(entry.position.index)
        }
      } catch {
        throw LogFailure.refused("\(error)")
      }
    }
    return indexes
  }
}
