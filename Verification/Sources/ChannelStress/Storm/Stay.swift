import AsyncChannels

/// What one subscription got, and what was known of the senders when it was made.
struct Stay: Sendable {
  /// How the end of the channel lay to the beginning of the stay.
  enum Beginning: Sendable {
    case beforeTheEnd, afterTheEnd, unknown
  }

  let policy: BufferingPolicy
  /// For each sender, how many of its elements were sent before; so they precede the stay.
  let sentBefore: [Int]
  /// For each sender, how many it had begun to send after; so later ones belong to the stay.
  let begunAfter: [Int]
  let beginning: Beginning

  /// What each of its consumers took.
  var takes: [[Identity]] = []
  var dropped = 0
  /// Whether it lasted to the end of the channel.
  var lastsToTheEnd = false
}

extension Stay {
  var received: [Identity] { Array(takes.joined()) }
}

/// Which element: the sender, and the number that it gave it.
struct Identity: Hashable, Sendable {
  private let bits: Int32

  init(sender: Int, number: Int) {
    bits = Int32(sender << 24 | number)
  }

  /// - Parameter code: An element's number.
  init(code: Int) {
    bits = Int32(code)
  }

  var code: Int { Int(bits) }
  var sender: Int { Int(bits >> 24) }
  var number: Int { Int(bits & 0xFF_FFFF) }
}

extension Identity: CustomStringConvertible {
  var description: String { "\(sender):\(number)" }
}
