import Synchronization

/// How far a request is.
enum RequestStage: UInt8, AtomicRepresentable {
  case open, followed, answered
}

/// Who is to hear of a request's reply: recordings. A request that nobody follows has no place for them.
private let followers = Locked<[ObjectIdentifier: [@Sendable (Any?) -> Void]]>([:])

extension Request {
  /// Has this called with the first reply, before the asker gets it, or with nil if there will be none. An
  /// answered request has no more to tell.
  package func follow(_ body: @escaping @Sendable (Any?) -> Void) {
    let identity = ObjectIdentifier(self)
    followers.withLock { $0[identity, default: []].append(body) }
    // Relaxed: whoever reads that it is followed takes the lock then, so after the section above.
    let (_, stage) = stage.compareExchange(
      expected: .open, desired: .followed, ordering: .relaxed)
    if stage == .answered { followers.withLock { _ = $0.removeValue(forKey: identity) } }
  }

  func tellFollowers(_ reply: Reply?) {
    let bodies = followers.withLock { $0.removeValue(forKey: ObjectIdentifier(self)) }
    for body in bodies ?? [] { body(reply) }
  }
}
