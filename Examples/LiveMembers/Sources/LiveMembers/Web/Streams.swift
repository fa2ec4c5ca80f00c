import Synchronization

/// How many streams are open, in all and for each client: one client must not take all connections.
final class Streams: Sendable {
  /// A stream that is open. It is closed when the last reference to this is dropped.
  final class Place: Sendable {
    private let streams: Streams
    private let client: IPAddress?

    fileprivate init(_ streams: Streams, _ client: IPAddress?) {
      (self.streams, self.client) = (streams, client)
    }

    deinit {
      streams.leave(client)
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
