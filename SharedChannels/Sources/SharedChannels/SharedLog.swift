public import Foundation

/// A log that several machines append to and read from, in one order. An engine implements it, on a database.
///
/// The check of an engine is `LogConformance` in the module `SharedLogConformance`: it tests each sentence below.
///
/// **One order.** Entries have the indexes 1, 2, 3, …. All readers see the same entries under the same indexes. An
/// entry that was read, or for which there is a ``Receipt``, is durable, and no entry appears before it later.
///
/// **Epochs.** A log that was set back has fewer entries than a reader knows, or others in their place. The engine
/// notices this when a position is read after whose ``Position/mark`` the log does not have. It then gives the log
/// another epoch, once, however many machines notice it.
///
/// A value of an engine is a handle for one ``SharedChannel``. One call of ``entries(after:)`` and one of the other
/// functions may run at a time. More are correct, and may wait for each other. All are cancelled with their task:
/// then they throw, and the outcome of an append is unknown.
public protocol SharedLog: Sendable {
  /// Appends a batch in one step, in its order: the entries of a batch are consecutive, and are all stored or none.
  ///
  /// An element whose key the log has, or that came earlier in the batch, is not appended again.
  ///
  /// - Parameter batch: Any number of entries with valid keys, and 8 MiB in all or a single entry.
  /// - Returns: A receipt for each element, in the order of the batch, when all are durable.
  /// - Throws: ``LogFailure/refused(_:)`` if nothing was stored, and nothing will be. After any other error nobody
  ///   knows: append the batch again.
  func append(_ batch: [Keyed<Data>]) async throws -> [Receipt]

  /// The entries after a position, in order. Waits until there is at least one.
  ///
  /// It gives as many as the engine likes, which should be bounded in bytes: the caller asks again with the last
  /// position. So a slow reader delays nobody and costs no memory.
  ///
  /// - Parameter position: Where to go on; nil to begin with the first entry.
  /// - Throws: ``LogFailure/otherEpoch(_:)`` if the log does not have the position, or has another epoch.
  func entries(after position: Position?) async throws -> [Logged<Data>]

  /// The place after the last entry that is durable now; its index is 0 if there is no entry.
  func end() async throws -> Position

  /// The newest snapshot of a version, with the log's present epoch, or nil. Its position is in the log.
  func snapshot(version: Int) async throws -> Snapshot?

  /// Stores a snapshot in place of an older one of the same version. Does nothing if there is a newer one, or if
  /// the log does not have its position.
  func keep(_ snapshot: Snapshot) async throws
}

/// A folded state, so that a start need not read the log from its beginning.
public struct Snapshot: Hashable, Sendable {
  /// ``SharedState/version`` of the state.
  public let version: Int
  /// The last entry that is part of it.
  public let position: Position
  /// The encoded state.
  public let data: Data

  public init(version: Int, position: Position, data: Data) {
    (self.version, self.position, self.data) = (version, position, data)
  }
}
