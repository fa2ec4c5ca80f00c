public import Foundation

/// A state that several machines share, and the one function that changes it.
///
/// ```swift
/// struct Seats: SharedState {
///   enum Command: Codable, Sendable { case take(seat: Int, by: String) }
///   enum Reply: Sendable { case taken, refused(owner: String) }
///
///   private(set) var owners: [Int: String] = [:]
///
///   mutating func apply(_ command: Command) -> Reply {
///     switch command {
///     case .take(let seat, let name):
///       if let owner = owners[seat] { return .refused(owner: owner) }
///       owners[seat] = name
///       return .taken
///     }
///   }
/// }
/// ```
///
/// Commands are stored, not states. Each machine applies all commands in the log's order. So a refusal is decided
/// where the order is known, and is the same on each machine.
public protocol SharedState: Sendable, Codable {
  /// What changes the state. It is encoded as JSON, and stays in the log: each later version of the program must
  /// decode it, with the help of ``upcast(_:from:)-swift.type.method`` where its coding has changed.
  associatedtype Command: Sendable, Codable
  /// What the asker learns, for example whether its command was refused. It is not stored.
  associatedtype Reply: Sendable

  /// Changes the state, or refuses the command and changes nothing.
  ///
  /// It must depend on the state and the command alone: not on the time, random numbers, the order of a `Set` or
  /// a `Dictionary`, or the machine. What it needs of these, such as an identifier or a date, is part of the
  /// command. Otherwise the machines' states differ.
  ///
  /// It has no effect but on the state, and the state holds no references: it runs on copies, and for commands that are
  /// not stored in the end. It must not trap, whatever the command and the state. A command is applied to a copy before
  /// it is stored, so one that traps there ends this process, and no other. One that traps only where it came to be in
  /// the order ends all.
  mutating func apply(_ command: Command) -> Reply

  /// The version of what `apply` does, of the kinds of commands, and of how commands and state are encoded; 1 if it is not
  /// declared. At least 1. Raise it with every such change: of machines with different versions only those with the newest
  /// that has taken over carry out commands (``SharedChannel/takeOver()``). The new version applies all of the log, or what
  /// came after an older version's state (``upcast(state:from:)-swift.type.method``). So its `apply` must do with old
  /// commands what the old one did.
  static var version: Int { get }

  /// Makes of the encoded command of an older version that of this one. Declare it if the coding of commands has changed.
  /// It must depend on its parameters alone, as `apply`.
  ///
  /// - Parameters:
  ///   - command: The command, as the older program has encoded it.
  ///   - version: That program's version; 0 if it was stored before entries told it.
  static func upcast(_ command: Data, from version: Int) throws -> Data

  /// Makes of the encoded state of an older version that of this one, so that a new version need not apply all of the log.
  /// If the log's first entries are deleted (`history` of ``SharedChannel``), it cannot start otherwise.
  ///
  /// To go back to an older program after the log was compacted, that must read the newer one's state.
  ///
  /// The result must be what this version's `apply` makes of all commands up to there: otherwise a machine that starts at
  /// another place comes to another state.
  ///
  /// - Parameters:
  ///   - state: The state, as the older program has encoded it.
  ///   - version: That program's version.
  /// - Returns: Nil, as if it is not declared, to apply all of the log. So it does if an error is thrown.
  static func upcast(state: Data, from version: Int) throws -> Self?
}

extension SharedState {
  public static var version: Int { 1 }

  public static func upcast(_ command: Data, from version: Int) throws -> Data { command }

  public static func upcast(state: Data, from version: Int) throws -> Self? { nil }
}
