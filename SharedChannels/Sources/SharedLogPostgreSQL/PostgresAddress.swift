import CPostgres
import Foundation

/// Where a PostgreSQL database is, as `psql` takes it: a URL, `key=value` pairs, or a database's name.
/// `libpq` reads it, and the variables and files in which it looks for the rest (`PGPASSWORD`, `~/.pgpass`, …).
public struct PostgresAddress: Sendable {
  /// It may have a password, so it is never shown.
  private let text: String

  public init(_ text: String) throws(InvalidAddress) {
    let isURL = text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
    let isPairs = text.prefixMatch(of: /\s*\w+\s*=/) != nil
    // A name has no user and no host in it: this may be a URL with a mistake, and then with a password.
    guard isURL || isPairs || !text.contains(where: "@:/".contains) else { throw InvalidAddress() }
    if isURL || isPairs {
      guard let options = PQconninfoParse(text, nil) else { throw InvalidAddress() }
      defer { PQconninfoFree(options) }
      guard Self.hidesPassword(options) else { throw InvalidAddress() }
    }
    self.text = text
  }

  /// Whether no part that `libpq` names in its messages can have a piece of the password in it. In a URL,
  /// an `@`, a `/` or a `:` of the password that is not percent-encoded makes its rest a host, a port or
  /// a database. (This refuses abstract sockets, whose names begin with `@`.)
  private static func hidesPassword(_ options: UnsafePointer<PQconninfoOption>) -> Bool {
    var option = options
    while let keyword = option.pointee.keyword {
      let value = option.pointee.val.map { String(cString: $0) } ?? ""
      switch String(cString: keyword) {
      case "host", "dbname": if value.contains("@") { return false }
      case "port": if value.wholeMatch(of: /[0-9, ]*/) == nil { return false }
      default: break
      }
      option += 1
    }
    return true
  }

  /// Connects as `psql` does: to the first of several hosts that answers, each of which has its time. This blocks the
  /// thread, without end if the system finds no address for a name.
  ///
  /// What the address says counts more than what is set before it: each host has three seconds, and a server that is
  /// gone without a word is noticed within ten. What comes after it counts in any case.
  func connect() -> OpaquePointer? {
    var settings = [
      ("fallback_application_name", "shared_channels"), ("tcp_user_timeout", "10000"),
      ("keepalives_idle", "5"), ("keepalives_interval", "2"), ("dbname", text),
      ("client_encoding", "UTF8"),
    ]
    // A variable counts only for what is not set.
    if getenv("PGCONNECT_TIMEOUT") == nil { settings.insert(("connect_timeout", "3"), at: 0) }
    let (keys, values) = (settings.map { strdup($0.0) }, settings.map { strdup($0.1) })
    defer { (keys + values).forEach { free($0) } }
    return PQconnectdbParams(
      keys.map { UnsafePointer($0) } + [nil], values.map { UnsafePointer($0) } + [nil], 1)
  }
}

public struct InvalidAddress: Error, CustomStringConvertible {
  public let description = """
    The PostgreSQL address is not valid: it is neither a postgresql:// URL, nor key=value pairs, nor a \
    database's name. In a URL, percent-encode the password. (The address is not shown, since it may have one.)
    """
}
