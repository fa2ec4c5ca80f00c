import Foundation
import TestSupport
import XCTest

final class AuthDemoTests: XCTestCase {
  func test_aUserNameAndAPasswordSignIn() throws {
    let input =
      "iankeen\nwrong\niankeen\nsuper_secret_password\n\n\nIANKEEN\nsuper_secret_password\n"
    try assertDemo(
      "auth", given: input.utf8,
      prints: """
        Not signed in. The user name or the password is wrong.
        Signed in.
        Not signed in. The user name or the password is wrong.
        Not signed in. The user name or the password is wrong.

        """)
  }

  func test_aUserNameWithoutAPasswordIsSaid() throws {
    try assertDemo(
      "auth", given: "iankeen\nx\niankeen".utf8,
      prints: """
        Not signed in. The user name or the password is wrong.
        There was a user name, but no password.

        """)
  }

  func test_anEmptyInputAsksNothing() throws {
    try assertDemo("auth", given: [], prints: "")
  }

  func test_aLineThatIsNotTextIsRefusedAndAskedForAgain() throws {
    var input = Data([0xFF, 0x0A]) + Data("iankeen\n".utf8)
    input += Data(repeating: UInt8(ascii: "x"), count: 2 << 20) + Data([0x0A])
    input += Data("super_secret_password".utf8)
    try assertDemo(
      "auth", given: input,
      prints: """
        a line is not valid UTF-8; it was ignored
        a line is longer than 1048576 bytes; it was ignored
        Signed in.

        """)
  }

  func test_itSignsInAtAServer() async throws {
    guard let server = try await LoopbackServer.start() else {
      throw XCTSkip("There is no python3 here, so there is no server to sign in at.")
    }
    let signIns = Data("iankeen\nsuper_secret_password\niankeen\nwr\\\"ong ☕️\n".utf8)
    let right = try Program.run(
      "auth", "--url", server.url("login").absoluteString, input: signIns)
    XCTAssertEqual(
      right.output, "Signed in.\nNot signed in. The user name or the password is wrong.\n")
    XCTAssertEqual(right.status, 0)
    for (path, sentence) in [
      ("status/500", "The server answered with the unexpected status 500."),
      ("redirect/302", "The server answered with the unexpected status 302."),
      ("body/%7B%7D", "The server's answer could not be understood: it is not JSON with a"),
      ("close", "The server could not be reached: "),
    ] {
      let program = try Program.run(
        "auth", "--url", server.url(path).absoluteString, input: Data("a\nb\n".utf8))
      XCTAssertTrue(
        program.output.hasPrefix("Not signed in. \(sentence)"), "\(path): \(program.output)")
      XCTAssertEqual(program.output.filter { $0 == "\n" }.count, 1, program.output)
      XCTAssertEqual(program.status, 0)
    }
  }

  func test_anAddressThatIsNoneIsAUsageError() throws {
    for arguments in [
      ["--url"], ["--url", ""], ["--url", "http://"], ["--url", "http:///x"],
      ["--url", "ftp://127.0.0.1/"], ["--url", "127.0.0.1"], ["--url", "http://a/", "more"],
      ["--URL", "http://a/"], ["http://a/"],
    ] {
      let program = try Program.run(["auth"] + arguments, input: Data("a\nb\n".utf8))
      XCTAssertEqual(program.status, 64, "\(arguments)")
      XCTAssertEqual(program.output, "")
      XCTAssertTrue(
        program.errors.contains("\n\nusage: asyncdemo auth [--url URL]"), program.errors)
    }
  }
}
