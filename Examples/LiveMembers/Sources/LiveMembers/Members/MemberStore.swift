/// Keeps the list, so that it survives the process.
protocol MemberStore: Sendable {
  /// Carries out commands, in this order and in one transaction: they are durable when this returns.
  ///
  /// - Throws: ``StoreDisconnected`` if it is not known whether they were carried out. Asking again
  ///   is harmless, since commands are known by their keys.
  func commit(_ commands: [MemberCommand]) async throws -> Committed

  func roster() async throws -> Roster

  /// Calls a function immediately, and whenever another process may have changed the list since.
  /// Returns when the task is cancelled; throws ``StoreDisconnected`` if changes may go unnoticed.
  func followOthers(_ changed: @Sendable () async throws -> Void) async throws
}

/// What became of the commands of a transaction, one after the other, and the list after it.
struct Committed: Sendable, Codable {
  let outcomes: [MemberOutcome]
  let roster: Roster
}

/// The database cannot be reached now. It may be later.
struct StoreDisconnected: Error, CustomStringConvertible {
  let description: String
}

/// How many members a list may have: each change reads and shows the whole list.
let listCapacity = 1_000
