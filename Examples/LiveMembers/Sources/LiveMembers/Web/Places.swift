import Synchronization

/// How many of something are open, in all and for each client: one client must not take all.
final class Places: Sendable {
  /// One that is open, until the last reference to this is dropped.
  final class Place: Sendable {
    private let places: Places
    private let client: IPAddress?

    fileprivate init(_ places: Places, _ client: IPAddress?) {
      (self.places, self.client) = (places, client)
    }

    deinit {
      places.leave(client)
    }
  }

  enum Refusal: Error {
    case tooManyOfThisClient, tooMany
  }

  private let limit: Int
  private let limitPerClient: Int
  private let open = Mutex((count: 0, ofClients: [IPAddress: Int]()))

  /// - Parameter limitPerClient: Zero for none.
  init(limit: Int, limitPerClient: Int) {
    (self.limit, self.limitPerClient) = (limit, limitPerClient)
  }

  /// - Parameter client: Nil if it is not counted.
  func enter(_ client: IPAddress?) throws(Refusal) -> Place {
    let limitPerClient = limitPerClient > 0 ? limitPerClient : .max
    let refusal: Refusal? = open.withLock { open in
      if open.count >= limit { return .tooMany }
      if let client {
        if open.ofClients[client, default: 0] >= limitPerClient { return .tooManyOfThisClient }
        open.ofClients[client, default: 0] += 1
      }
      open.count += 1
      return nil
    }
    if let refusal { throw refusal }
    return Place(self, client)
  }

  private func leave(_ client: IPAddress?) {
    open.withLock { open in
      open.count -= 1
      guard let client, let count = open.ofClients[client] else { return }
      open.ofClients[client] = count > 1 ? count - 1 : nil
    }
  }
}
