import SharedChannels

/// The seats that were sold, and the mail that is to be written for each.
struct Sales: SharedState {
  enum Command: Codable, Sendable {
    case sell(seat: Int, to: String)
    case mails(Outbox<Mail>.Command)
  }
  enum Reply: Sendable { case sold, taken(by: String), noted }

  struct Mail: Codable, Sendable {
    let recipient: String
    let seat: Int
  }

  private(set) var owners: [Int: String] = [:]
  private(set) var mails = Outbox<Mail>()

  mutating func apply(_ command: Command) -> Reply {
    switch command {
    case .sell(let seat, let name):
      if let owner = owners[seat] { return .taken(by: owner) }
      owners[seat] = name
      mails.add(Mail(recipient: name, seat: seat), key: "seat \(seat) of \(name)")
      return .sold
    case .mails(let command):
      mails.apply(command)
      return .noted
    }
  }
}
