/// Whether a ``SharedChannel`` has its state, and whether its log answers.
public struct Health: Hashable, Sendable {
  /// Whether the state has been read as it was when `run()` began, or when the log was set back.
  public internal(set) var isReady = false
  /// Why the log could not be read when it was last tried; nil if it could.
  public internal(set) var readFailure: String?
  /// Why the last batch could not be appended; nil if it could.
  public internal(set) var appendFailure: String?
  /// How often the channel began anew, because the log was set back or lost an entry.
  public internal(set) var restarts = 0

  /// Whether to send requests here: the state is there, and the log can be read.
  public var isServing: Bool { isReady && readFailure == nil }
}

/// What an operator counts. Numbers since the channel was made.
public struct Counts: Hashable, Sendable {
  /// Entries that were applied, of all machines.
  public internal(set) var applied = 0
  /// Batches that this machine has appended.
  public internal(set) var batches = 0
  /// Commands that this machine has appended.
  public internal(set) var appended = 0
  /// Commands whose key the log had before.
  public internal(set) var repeated = 0
  /// Commands that were dropped before they were appended, because their asker had left.
  public internal(set) var abandoned = 0
  /// Commands that cannot be stored. Their askers got ``CommandOutcome/notStored(_:)``.
  public internal(set) var notStored = 0
  /// Times that an append failed.
  public internal(set) var failedAppends = 0
  /// Times that a read failed.
  public internal(set) var failedReads = 0
  /// Times that a snapshot could not be stored.
  public internal(set) var failedSnapshots = 0
  /// Snapshots that this machine has stored.
  public internal(set) var snapshots = 0
}
