import Foundation
import Hummingbird

/// Which names this server has, and which pages may send it commands.
///
/// A page elsewhere may have a name that it owns point to this server (DNS rebinding), and is then of one
/// origin with it. So a name counts only if it is configured. Addresses cannot be rebound.
struct Origins: Sendable {
  /// Where people find the page, as `https://members.example`: what a proxy in front of this is called.
  private let configured: Set<String>

  init(_ origins: [String]) throws(InvalidOrigin) {
    var configured: Set<String> = []
    for origin in origins {
      let text = origin.lowercased()
      guard text.wholeMatch(of: #/https?://[^/?#@\s]+/#) != nil else { throw InvalidOrigin() }
      configured.insert(text)
    }
    self.configured = configured
  }

  /// Whether a request may be for this server.
  func knows(host: String?) -> Bool {
    guard let host = host?.lowercased() else { return false }
    return isAddress(host)
      || configured.contains { $0.hasSuffix("://\(host)") || $0.hasPrefix("http://\(host):") }
      || configured.contains { $0.hasPrefix("https://\(host):") }
  }

  /// Whether a form comes from this server's own page. The browser tells, and no page can change what it does.
  func mayCommand(_ request: Hummingbird.Request) -> Bool {
    // It compares with the address that the person sees, whatever proxies make of it.
    if let site = request.headers[.init("Sec-Fetch-Site")!] {
      return site == "same-origin" || site == "none"
    }
    guard let origin = request.headers[.origin]?.lowercased() else { return true }  // not a browser
    return configured.contains(origin)
      || origin.split(separator: "://").last.map(String.init)
        == request.head.authority?.lowercased()
  }

  /// An IP address or this machine itself, with or without a port.
  private func isAddress(_ host: String) -> Bool {
    let name =
      host.hasPrefix("[") ? host.prefix { $0 != "]" }.dropFirst() : host.prefix { $0 != ":" }
    var address = in6_addr()
    let family = host.hasPrefix("[") ? AF_INET6 : AF_INET
    return name == "localhost" || inet_pton(family, String(name), &address) == 1
  }
}

struct InvalidOrigin: Error, CustomStringConvertible {
  let description =
    "An origin is a scheme and a name, as https://members.example or http://host:8080."
}
