/// Keeps the list, so that it survives the process.
protocol MemberStore: Sendable {
  /// Carries out commands, in this order and in one transaction: they are durable when this returns.
  ///
  /// - Throws: A ``StoreFailure`` that changed nothing if they were not carried out. After any other error
  ///   that is not known. Asking again is harmless, since commands are known by their keys.
  func commit(_ commands: [MemberCommand]) async throws -> Committed

  func roster() async throws -> Roster

  /// The `id` of the list as it is now, which costs less than the list.
  func rosterID() async throws -> String

  /// Gives the list another name, if it is still the one that is known but older: it was restored from a
  /// backup, and will have the same revisions a second time.
  func beginEpoch(after known: Roster) async throws

  /// An element immediately, and whenever another process may have changed the list since. Throws
  /// when changes may go unnoticed: then ask again.
  func changesByOthers() async throws -> AsyncThrowingStream<Void, any Error>
}

/// What became of the commands of a transaction, one after the other, and the list after it.
struct Committed: Sendable, Codable {
  let outcomes: [MemberOutcome]
  let roster: Roster
}

/// The database has refused something, or cannot be reached now. It may be later.
struct StoreFailure: Error, CustomStringConvertible {
  /// True if it is certain that nothing was changed. Otherwise the database may have stored everything, and
  /// only its answer is missing.
  let changedNothing: Bool
  let reason: String

  var description: String { reason }
}

/// How many members a list may have: each change reads and shows the whole list.
let listCapacity = 1_000
