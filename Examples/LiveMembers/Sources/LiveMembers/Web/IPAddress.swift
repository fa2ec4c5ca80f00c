import Foundation

/// An address of a machine. One of version 4 is kept as version 6 writes it, so `192.0.2.1` and
/// `::ffff:192.0.2.1`, as a socket for both versions gives it, are the same.
struct IPAddress: Hashable, Sendable {
  private let bytes: [UInt8]

  /// - Parameter text: With or without a port, as proxies tell it: `192.0.2.1:80`, `[2001:db8::1]:80`.
  init?(_ text: some StringProtocol) {
    let isVersion4 = text.contains(".") && text.filter { $0 == ":" }.count < 2
    var name = Substring(text)
    if text.hasPrefix("[") {
      name = name.dropFirst().prefix { $0 != "]" }
    } else if isVersion4 {
      name = name.prefix { $0 != ":" }
    }
    var address = in6_addr()
    let whole = isVersion4 ? "::ffff:\(name)" : String(name.prefix { $0 != "%" })
    guard inet_pton(AF_INET6, whole, &address) == 1 else { return nil }
    bytes = withUnsafeBytes(of: address) { [UInt8]($0) }
  }

  private init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// How many bits of an address come before those of version 4.
  static let bitsBeforeVersion4 = 96
  private static let version4 = [UInt8](repeating: 0, count: 10) + [255, 255]

  var isVersion4: Bool { bytes.starts(with: Self.version4) }

  /// The address whose bits after the first ones are zero: that of a network.
  func network(bits: Int) -> IPAddress {
    IPAddress(
      bytes: bytes.enumerated().map { index, byte in
        let kept = min(max(bits - 8 * index, 0), 8)
        return byte & ~UInt8(truncatingIfNeeded: 0xFF >> kept)
      })
  }

  /// By what a client is counted: one machine has all addresses of a network of version 6.
  var client: IPAddress { isVersion4 ? self : network(bits: 64) }
}
