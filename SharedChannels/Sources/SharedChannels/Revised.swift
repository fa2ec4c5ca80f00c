/// A state and its place in the log.
public struct Revised<Value: Sendable>: Sendable {
  /// The last entry that is part of it; nil before the log was read for the first time.
  public let position: Position?
  /// The state after that entry.
  public let value: Value

  public init(position: Position?, value: Value) {
    (self.position, self.value) = (position, value)
  }
}

extension Revised: Equatable where Value: Equatable {}

/// A command that was applied, by whichever machine it was asked.
public struct Applied<State: SharedState>: Sendable {
  /// Its place in the log.
  public let position: Position
  /// The key that its asker gave it.
  public let key: String
  /// Who appended it, and when; nil if it was appended before entries had an origin.
  public let origin: Origin?
  /// What was asked.
  public let command: State.Command
  /// What `apply` returned, the same on each machine.
  public let reply: State.Reply
}

/// What became of a command. No answer at all (`ask` gives nil) means that nobody knows: ask again with the same key.
public enum CommandOutcome<Reply: Sendable>: Sendable {
  /// It is durable and part of the state here. A command with a key that was asked before has the first one's reply.
  case applied(Reply, at: Position)
  /// A command with this key was applied, and its reply is no longer known here: many others came since, or this
  /// machine read a snapshot since, or the log was set back.
  case repeated(at: Position)
  /// It was not stored, for this reason, and will not be. This tells nothing about an earlier command with this key
  /// that got no answer: it may be stored.
  case notStored(String)
}

extension CommandOutcome: Equatable where Reply: Equatable {}
