import AsyncChannels
import SharedChannels

/// The seats of a room, which several servers sell.
struct Seats: SharedState {
  enum Command: Codable, Sendable { case take(seat: Int, by: String) }
  enum Reply: Sendable, Equatable { case taken, refused(owner: String) }

  private(set) var owners: [Int: String] = [:]

  mutating func apply(_ command: Command) -> Reply {
    switch command {
    case .take(let seat, let name):
      if let owner = owners[seat] { return .refused(owner: owner) }
      owners[seat] = name
      return .taken
    }
  }
}

/// What a server answers to a request for a seat. The key comes with the request.
func take(seat: Int, by name: String, key: String, in seats: SharedChannel<Seats>) async -> String {
  switch await seats.commands.ask(Keyed(key: key, .take(seat: seat, by: name))) {
  case .applied(.taken, at: _)?: "201 yours"
  case .applied(.refused(let owner), at: _)?: "409 taken by \(owner)"
  case .repeated?: "200 done before"
  case .notStored(let reason)?: "503 \(reason)"
  case nil: "503 ask again, with the same key"
  }
}
