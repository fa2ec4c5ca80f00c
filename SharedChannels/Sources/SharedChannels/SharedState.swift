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
  /// decode it.
  associatedtype Command: Sendable, Codable
  /// What the asker learns, for example whether its command was refused. It is not stored.
  associatedtype Reply: Sendable

  /// Changes the state, or refuses the command and changes nothing.
  ///
  /// It must depend on the state and the command alone: not on the time, random numbers, the order of a `Set` or
  /// a `Dictionary`, or the machine. What it needs of these, such as an identifier or a date, is part of the
  /// command. Otherwise the machines' states differ.
  mutating func apply(_ command: Command) -> Reply

  /// The version of what `apply` does and of how the state is encoded; 1 if it is not declared. Snapshots of other
  /// versions are not used. Raise it with every such change, and do not run two versions on one log at a time.
  static var version: Int { get }
}

extension SharedState {
  public static var version: Int { 1 }
}
