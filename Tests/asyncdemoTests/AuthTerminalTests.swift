import Foundation
import TestSupport
import XCTest

/// Demand for a password on a terminal.
final class AuthTerminalTests: XCTestCase {
  func test_thePasswordIsNotEchoedAndEverythingElseIs() async throws {
    let terminal = try PseudoTerminal()
    let process = Process.program("auth")
    try terminal.start(process)
    for _ in 0..<3 {
      try await terminal.askForThePassword(of: "iankeen")
      try terminal.user.write("super_secret_password\n")
      let seen = try terminal.user.read(upTo: "\u{1B}[1mSigned in.\u{1B}[0m\r\n")
      XCTAssertEqual(seen, "\r\n\u{1B}[1mSigned in.\u{1B}[0m\r\n")
    }
    try terminal.user.read(upTo: "User name: ")
    XCTAssertTrue(terminal.echoes)
    try terminal.user.write("\u{4}")
    XCTAssertEqual(process.status(), 0)
    XCTAssertTrue(terminal.echoes)
  }

  func test_thePasswordIsNotEchoedIfOnlyTheInputIsATerminal() async throws {
    let terminal = try PseudoTerminal()
    let process = Process.program("auth")
    let output = Pipe()
    process.standardInput = terminal.device
    process.standardOutput = output
    try process.start()
    try terminal.user.write("iankeen\n")
    let device = terminal.device.fileDescriptor
    try await until("the terminal hides what is typed") { !PseudoTerminal.echoes(device) }
    try terminal.user.write("super_secret_password\n")
    let seen = try output.fileHandleForReading.read(upTo: "\n")
    XCTAssertEqual(seen, "Signed in.\n", "nobody is prompted")
    try await until("the terminal shows what is typed") { PseudoTerminal.echoes(device) }
    try terminal.user.write("\u{4}")
    XCTAssertEqual(process.status(), 0)
    try terminal.device.write("end")
    XCTAssertEqual(try terminal.user.read(upTo: "end"), "iankeen\r\nend")
  }

  func test_theEndOfInputWhereThePasswordIsAskedForRestoresTheEcho() async throws {
    let terminal = try PseudoTerminal()
    let process = Process.program("auth")
    try terminal.start(process)
    try await terminal.askForThePassword(of: "iankeen")
    try terminal.user.write("\u{4}")
    let seen = try terminal.user.read(upTo: "no password.\r\n")
    XCTAssertEqual(seen, "\r\nThere was a user name, but no password.\r\n")
    XCTAssertEqual(process.status(), 0)
    XCTAssertTrue(terminal.echoes)
  }
}
