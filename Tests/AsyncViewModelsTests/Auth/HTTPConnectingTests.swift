#if os(Linux)
  import AsyncViewModels
  import Foundation
  import TestSupport
  import XCTest

  /// Cancelling a request whose connection has not come about yet.
  final class HTTPConnectingTests: XCTestCase {
    /// A connection that goes on would send the password when the server has time for it.
    func test_cancellingWhileItConnectsEndsTheConnecting() async throws {
      setenv("no_proxy", "127.0.0.1,localhost", 1)
      let server = try BusyServer()
      for delay in 0..<10 {
        let authenticator = HTTPAuthenticator(url: server.url)
        let task = Task { try await authenticator.authenticate(.of("ann")) }
        try await until("the connecting begins") { server.isBeingConnectedTo }
        for _ in 0..<(delay * 10) { await Task.yield() }
        task.cancel()
        let result = try await within { await task.result }
        guard case .failure(AuthError.cancelled) = result else { return XCTFail("\(result)") }
        try await until("the connecting ends") { !server.isBeingConnectedTo }
      }
    }
  }

  /// Listens on loopback, and has no place for another connection.
  private final class BusyServer: Sendable {
    private let listener: CInt
    /// The one that takes the place.
    private let guest: CInt
    private let port: UInt16

    init() throws {
      listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      guest = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let (listener, guest) = (listener, guest)
      let isListening = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(listener, $0, size) == 0 && listen(listener, 0) == 0
            && getsockname(listener, $0, &size) == 0 && connect(guest, $0, size) == 0
        }
      }
      port = UInt16(bigEndian: address.sin_port)
      guard isListening else { throw XCTSkip("Nobody can listen on loopback here.") }
    }

    deinit {
      close(guest)
      close(listener)
    }

    var url: URL { URL(string: "http://127.0.0.1:\(port)/")! }

    /// The system's list, a line for each. Foundation reads only the beginning of such a file.
    private static var connections: String {
      let file = open("/proc/net/tcp", O_RDONLY)
      defer { close(file) }
      var list = Data()
      var piece = [UInt8](repeating: 0, count: 1 << 16)
      while case let count = read(file, &piece, piece.count), count > 0 { list += piece[..<count] }
      return String(decoding: list, as: UTF8.self)
    }

    /// Whether the system still tries to connect somebody.
    var isBeingConnectedTo: Bool {
      Self.connections.split(separator: "\n").contains { line in
        let fields = line.split(separator: " ")
        // Its other end, and the state that is called SYN_SENT.
        return fields.count > 3 && fields[3] == "02"
          && fields[2].hasSuffix(String(format: ":%04X", Int(port)))
      }
    }
  }
#endif
