import SharedChannels

/// The seats of a room, which several servers sell.
struct Seats: SharedState {
  enum Command: Codable, Sendable { case take(seat: Int, by: String) }
  enum Reply: Sendable { case taken, refused(owner: String) }

  private(set) var owners: [Int: String] = [:]

  mutating func apply(_ command: Command) -> Reply {
    switch command {
    case .take(let seat, let name):
      if let owner = owners[seat] { return .refused(owner: owner) }
      owners[seat] = name
      return .taken
    }
  }

  /// The same text on each server.
  var list: String {
    owners.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
  }
}
