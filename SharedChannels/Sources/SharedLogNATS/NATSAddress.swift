import CNATS
import Foundation
import SharedChannels

/// Where the servers of a NATS cluster are, and how to log in.
public struct NATSAddress: Sendable {
  /// They may have a password, so they are never shown.
  private let servers: [String]
  private let credentials: String?
  private let authorities: String?

  /// - Parameters:
  ///   - servers: One URL, or several with commas between: `nats://HOST:PORT`, or `tls://` for an encrypted
  ///     connection. A name and a password, or a token, may stand before the host. A connection uses a server that
  ///     answers.
  ///   - credentials: The path of a credentials file, with a user's token and seed.
  ///   - authorities: The path of a file with the certificates of the authorities that servers are trusted for.
  public init(
    _ servers: String, credentials: String? = nil, authorities: String? = nil
  ) throws(InvalidNATSAddress) {
    self.servers = servers.split(separator: ",").map {
      $0.trimmingCharacters(in: .whitespacesAndNewlines)
    }
    (self.credentials, self.authorities) = (credentials, authorities)
    let areValid = self.servers.allSatisfy { server in
      guard let parts = URLComponents(string: server), parts.host?.isEmpty == false else {
        return false
      }
      return ["nats", "tls"].contains(parts.scheme) && ["", "/"].contains(parts.path)
    }
    guard areValid, !self.servers.isEmpty else { throw InvalidNATSAddress() }
  }

  /// A connection is not made again when it is lost: its user must look first what became of the log.
  func connect() throws -> OpaquePointer {
    var (options, connection): (OpaquePointer?, OpaquePointer?)
    try check(natsOptions_Create(&options))
    defer { natsOptions_Destroy(options) }
    var urls = servers.map { UnsafePointer(strdup($0)) }
    defer { urls.forEach { free(UnsafeMutablePointer(mutating: $0)) } }
    try check(natsOptions_SetServers(options, &urls, Int32(urls.count)))
    try check(natsOptions_SetName(options, "shared_channels"))
    try check(natsOptions_SetAllowReconnect(options, false))
    try check(natsOptions_SetTimeout(options, 2_000))
    // A server that is gone without a word is noticed within six seconds.
    try check(natsOptions_SetPingInterval(options, 2_000))
    try check(natsOptions_SetMaxPingsOut(options, 2))
    try check(natsOptions_SetSendAsap(options, true))
    if let credentials {
      try check(natsOptions_SetUserCredentialsFromFiles(options, credentials, nil))
    }
    if let authorities { try check(natsOptions_LoadCATrustedCertificates(options, authorities)) }
    try check(natsConnection_Connect(&connection, options))
    return connection!
  }
}

public struct InvalidNATSAddress: Error, CustomStringConvertible {
  public let description = """
    The NATS address is not valid: it is one nats:// or tls:// URL, or several with commas between, each with a host \
    and without a path. Percent-encode a password. (The address is not shown, since it may have one.)
    """
}

/// Turns what the library says into an error. After it nobody knows what became of a call.
func check(_ status: natsStatus) throws {
  guard status == NATS_OK else {
    throw LogFailure.unreachable("NATS: " + String(cString: natsStatus_GetText(status)))
  }
}
