/// Whether a ``SharedChannel`` has its state, and whether its log answers.
public struct Health: Hashable, Sendable {
  /// Whether the state has been read as it was when `run()` began, or when the log was set back.
  public internal(set) var isReady = false
  /// Why the log could not be read when it was last tried, or has an entry that this program cannot decode, or lacks one;
  /// nil if it could.
  public internal(set) var readFailure: String?
  /// Why the last batch, or the entry that takes over, could not be appended; nil if it could. The channel appends a
  /// blank entry now and then until it can.
  public internal(set) var appendFailure: String?
  /// Why the last snapshot could not be stored, or old entries could not be deleted; nil if they could. This machine serves
  /// all the same.
  public internal(set) var snapshotFailure: String?
  /// How often the channel began anew: the log was set back, lost an entry, or deleted what this machine had not read.
  public internal(set) var restarts = 0

  /// Whether this machine's version of the state is the one that serves.
  public internal(set) var role = Role.current

  /// Whether to send requests here: the state is there, the log can be read and appended to, and this version serves.
  public var isServing: Bool {
    isReady && readFailure == nil && appendFailure == nil && role == .current
  }

  /// What a machine's ``SharedState/version`` is among those that use the log.
  public enum Role: Hashable, Sendable {
    /// The newest that has taken over, or version 1 where none has: this machine carries out commands.
    case current
    /// A newer one than serves: this machine follows the log, and refuses commands until
    /// ``SharedChannel/takeOver()``.
    case waiting
    /// A newer one has taken over: this machine keeps the last state of its own version, if it had one, and refuses
    /// commands.
    case replaced(by: Int)
  }
}

/// What an operator counts. Numbers since the channel was made.
public struct Counts: Hashable, Sendable {
  /// Commands that were applied, of all machines.
  public internal(set) var applied = 0
  /// Batches that this machine has appended.
  public internal(set) var batches = 0
  /// How long the log took to store these batches, in all.
  public internal(set) var appendTime = Duration.zero
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
  /// Times that a snapshot could not be stored, or the entries before it not be deleted.
  public internal(set) var failedSnapshots = 0
  /// Snapshots that this machine has stored.
  public internal(set) var snapshots = 0
  /// Old entries that this machine has deleted.
  public internal(set) var deleted = 0
}
