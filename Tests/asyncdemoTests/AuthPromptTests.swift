import Foundation
import TestSupport
import XCTest

final class AuthPromptTests: XCTestCase {
  /// Whoever answers as soon as the prompt is there must not be seen, nor have the answer thrown
  /// away. The prompt is held back by a screen that is full.
  func test_whatIsTypedIsHiddenBeforeThePasswordIsAskedFor() async throws {
    let terminal = try PseudoTerminal()
    let process = Process.program("auth")
    try terminal.start(process)
    try terminal.user.read(upTo: "User name: ")
    try fillScreen(of: terminal)
    try terminal.user.write("iankeen\n")
    defer { kill(process.processIdentifier, SIGKILL) }
    let device = terminal.device.fileDescriptor
    try await until("the terminal hides what is typed", limit: .seconds(5)) {
      !PseudoTerminal.echoes(device)
    }
  }

  /// Until nothing more can be written to it.
  private func fillScreen(of terminal: PseudoTerminal) throws {
    let path = "/proc/self/fd/\(terminal.device.fileDescriptor)"
    let descriptor = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY)
    XCTAssertGreaterThanOrEqual(descriptor, 0)
    defer { close(descriptor) }
    while Foundation.write(descriptor, "x", 1) == 1 {}
    XCTAssertEqual(errno, EAGAIN)
  }
}
