import Hummingbird
import NIOCore

/// The proxies that are believed when they tell who a client is: those on this machine, and those that are
/// configured. What anybody else writes into `X-Forwarded-For` does not count.
struct Proxies: Sendable {
  private let networks: [(address: IPAddress, bits: Int)]

  /// - Parameter proxies: Addresses, or networks as `10.1.0.0/16`.
  init(_ proxies: [String]) throws(InvalidProxy) {
    var networks: [(IPAddress, Int)] = []
    for proxy in ["127.0.0.1", "::1"] + proxies {
      let parts = proxy.split(separator: "/", omittingEmptySubsequences: false)
      guard let address = IPAddress(parts[0]), parts.count <= 2 else { throw InvalidProxy() }
      let before = address.isVersion4 ? IPAddress.bitsBeforeVersion4 : 0
      let bits = parts.count == 2 ? Int(parts[1]) : 128 - before
      guard let bits, 0...(128 - before) ~= bits else { throw InvalidProxy() }
      networks.append((address.network(bits: before + bits), before + bits))
    }
    self.networks = networks
  }

  private func contain(_ address: IPAddress) -> Bool {
    networks.contains { address.network(bits: $0.bits) == $0.address }
  }

  /// Who has made a connection; nil if it is a proxy, which makes them for others.
  func client(at address: SocketAddress?) -> IPAddress? {
    guard let text = address?.ipAddress, let address = IPAddress(text), !contain(address) else {
      return nil
    }
    return address.client
  }

  /// Who has sent a request. Each proxy adds the address from which it has the request at the end, so the
  /// last one that is no proxy's is the client's. Nil if a proxy does not tell: it may be anybody.
  func client(of request: Hummingbird.Request, at address: SocketAddress?) -> IPAddress? {
    guard let address = address?.ipAddress else { return nil }
    let forwarded = request.headers[.init("X-Forwarded-For")!] ?? ""
    let told = forwarded.split(separator: ",").map { $0.filter { !$0.isWhitespace } }
    for text in (told + [address]).reversed() {
      guard let address = IPAddress(text) else { return nil }
      if !contain(address) { return address.client }
    }
    return nil
  }
}

struct InvalidProxy: Error, CustomStringConvertible {
  let description = "A proxy is an address or a network, as 10.1.2.3, 10.1.0.0/16 or fd00::/8."
}
