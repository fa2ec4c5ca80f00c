import AsyncViewModels
import Foundation
import TestSupport
import XCTest

/// An address may have a user name, a password and a key in its query. Errors are shown, and logged.
final class HTTPSecretsTests: XCTestCase {
  private let users = [
    "hidden:hidden", "hidden", ":hidden", "h%69dden:h%69dden", "hidden:hid@hidden",
  ]

  func test_noErrorOfAnAddressContainsItsSecrets() async throws {
    setenv("no_proxy", "127.0.0.1,::1,.invalid", 1)
    for rest in ["127.0.0.1:1/a", "127.0.0.1:99999/a", "[::1]:1/a", "/a", "nowhere.invalid/a"] {
      for scheme in ["http://", "https://", "ftp://", "file://", "http:", ""] {
        // Looking up a name may take seconds.
        for user in rest.hasPrefix("nowhere") && !Length.isFull ? [users[0]] : users {
          let address = "\(scheme)\(user)@\(rest)?key=hidden"
          guard let url = URL(string: address) else { continue }
          try await expectNoSecret(from: url)
        }
      }
    }
  }

  /// What the system says of a transfer that failed may have any part of the address in it.
  func test_noErrorOfASystemContainsTheAddressesQuery() async throws {
    setenv("no_proxy", "127.0.0.1,::1,.invalid", 1)
    for address in ["http://nowhere.invalid/a", "http://127.0.0.1:1/a"] {
      let error = try await error(of: try XCTUnwrap(URL(string: address)))
      guard case .unreachable(let words) = error else { return XCTFail("\(error)") }
      // A query that the system's words have in them, as if they had the address.
      for word in words.split(whereSeparator: { !$0.isLetter }).map(String.init) {
        let url = try XCTUnwrap(URL(string: "\(address)?\(word)"))
        let error = try await self.error(of: url)
        XCTAssertEqual(error, .unreachable("The connection failed."), "\(words): \(word)")
      }
    }
  }

  func test_noErrorOfAServerContainsTheAddressesSecrets() async throws {
    let server = try await server()
    for path in ["garbage", "close", "breaks/200", "status/500", "challenge", "redirect/302"] {
      var address = try XCTUnwrap(
        URLComponents(url: server.url(path), resolvingAgainstBaseURL: false))
      (address.user, address.password) = ("hidden", "hidden")
      try await expectNoSecret(from: try XCTUnwrap(address.url))
    }
  }

  func test_anErrorNamesTheHostThePortAndThePath() async throws {
    let url = try XCTUnwrap(URL(string: "ftp://hidden:hidden@example.org:21/a/b?key=hidden#hidden"))
    let error = try await error(of: url)
    XCTAssertEqual(
      error, .unreachable("example.org:21/a/b is not an address of a web server."))
  }

  private func expectNoSecret(from url: URL, line: UInt = #line) async throws {
    let text = "\(try await error(of: url))"
    XCTAssertFalse(text.lowercased().contains("hid"), "\(url): \(text)", line: line)
    XCTAssertFalse(text.contains("h%69dden"), "\(url): \(text)", line: line)
  }

  private func error(of url: URL) async throws -> AuthError {
    let authenticator = HTTPAuthenticator(url: url, deadline: .seconds(15))
    let result = try await within { await authenticator.attempt() }
    return try XCTUnwrap(result.error, "\(url) gave a token")
  }
}
