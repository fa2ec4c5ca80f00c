/// The replies to the newest commands by their keys, for askers that ask again.
struct RecentReplies<Reply> {
  private let capacity: Int
  private var replies: [String: Reply] = [:]
  /// The keys in a ring, the oldest at `oldest` once it is full.
  private var keys: [String] = []
  private var oldest = 0

  init(capacity: Int) {
    self.capacity = capacity
  }

  subscript(key: String) -> Reply? { replies[key] }

  mutating func remember(_ reply: Reply, for key: String) {
    guard replies.updateValue(reply, forKey: key) == nil else { return }
    if keys.count < capacity {
      keys.append(key)
    } else {
      replies[keys[oldest]] = nil
      keys[oldest] = key
      oldest = (oldest + 1) % capacity
    }
  }

  mutating func removeAll() {
    (replies, keys, oldest) = ([:], [], 0)
  }
}
