import CNATS
import Foundation
import SharedChannels

/// Where the servers of a NATS cluster are, and how to log in. Its description does not show passwords and tokens.
public struct NATSAddress: Sendable {
  /// URLs without a login.
  private let servers: [String]
  /// A name and a password, or a token alone.
  private let login: [String]
  private let credentials: String?
  private let authorities: String?

  /// - Parameters:
  ///   - servers: One URL, or several with commas between: `nats://HOST:PORT`, or `tls://HOST:PORT`. A name and a
  ///     password, or a token, may stand before the host, percent-encoded. All servers have the same. A connection uses
  ///     a server that answers. If one of the URLs begins with `tls:`, every connection must be encrypted.
  ///   - credentials: The path of a credentials file, with a user's token and seed.
  ///   - authorities: The path of a file with the certificates of the authorities that servers are trusted for. With
  ///     it, every connection must be encrypted.
  /// - Throws: ``InvalidNATSAddress`` if a server's URL is not valid, or two of them have different logins.
  public init(
    _ servers: String, credentials: String? = nil, authorities: String? = nil
  ) throws(InvalidNATSAddress) {
    let parsed = try servers.split(separator: ",").map { text throws(InvalidNATSAddress) in
      try Self.parse(text.trimmingCharacters(in: .whitespacesAndNewlines))
    }
    let logins = Set(parsed.map { $0.login }.filter { !$0.isEmpty })
    guard !parsed.isEmpty, logins.count <= 1 else { throw InvalidNATSAddress() }
    self.servers = parsed.map { $0.server }
    login = logins.first ?? []
    (self.credentials, self.authorities) = (credentials, authorities)
  }

  /// A URL without its login, and the login, decoded: the library does not decode it. A part of a password that is not
  /// percent-encoded may look like a path, a query or a fragment.
  private static func parse(
    _ text: String
  ) throws(InvalidNATSAddress) -> (server: String, login: [String]) {
    guard var parts = URLComponents(string: text, encodingInvalidCharacters: false),
      ["nats", "tls"].contains(parts.scheme), parts.host?.isEmpty == false,
      ["", "/"].contains(parts.path), parts.query == nil, parts.fragment == nil, parts.user != ""
    else { throw InvalidNATSAddress() }
    let login = [parts.user, parts.password].compactMap { $0 }
    (parts.user, parts.password) = (nil, nil)
    guard let server = parts.string else { throw InvalidNATSAddress() }
    return (server, login)
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
    try check(natsOptions_SetWriteDeadline(options, 5_000))
    try check(natsOptions_SetSendAsap(options, true))
    try logIn(options)
    try secure(options)
    try check(natsConnection_Connect(&connection, options))
    return connection!
  }

  private func logIn(_ options: OpaquePointer?) throws {
    switch login.count {
    case 2: try check(natsOptions_SetUserInfo(options, login[0], login[1]))
    case 1: try check(natsOptions_SetToken(options, login[0]))
    default: break
    }
    if let credentials {
      try check(natsOptions_SetUserCredentialsFromFiles(options, credentials, nil))
    }
  }

  /// Without this, the library encrypts only if the server demands it.
  private func secure(_ options: OpaquePointer?) throws {
    if authorities != nil || servers.contains(where: { $0.hasPrefix("tls:") }) {
      try check(natsOptions_SetSecure(options, true))
    }
    if let authorities { try check(natsOptions_LoadCATrustedCertificates(options, authorities)) }
  }
}

extension NATSAddress: CustomStringConvertible, CustomReflectable {
  public var description: String { servers.joined(separator: ",") }
  public var customMirror: Mirror { Mirror(self, children: ["servers": servers]) }
}

/// The text given for a ``NATSAddress`` is not an address. The description does not show it, since it may have a
/// password.
public struct InvalidNATSAddress: Error, CustomStringConvertible {
  public let description = """
    The NATS address is not valid: it is one nats:// or tls:// URL, or several with commas between, each with a host \
    and without a path. All have the same login, if any. Percent-encode it. (The address is not shown, since it may \
    have a password.)
    """
}

/// Turns what the library says into an error. After it nobody knows what became of a call.
func check(_ status: natsStatus) throws {
  guard status == NATS_OK else {
    throw LogFailure.unreachable("NATS: " + String(cString: natsStatus_GetText(status)))
  }
}
