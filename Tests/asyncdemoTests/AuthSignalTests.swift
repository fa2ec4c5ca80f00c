import Foundation
import XCTest

final class AuthSignalTests: XCTestCase {
  /// Under `nohup` the tests ignore SIGHUP, and what they start would inherit that.
  override func setUp() {
    signal(SIGHUP, SIG_DFL)
  }

  func test_aSignalWhileThePasswordIsAskedForRestoresTheEcho() async throws {
    for (signal, status) in [(SIGINT, Int32(130)), (SIGTERM, 143), (SIGHUP, 129), (SIGQUIT, 131)] {
      let terminal = try PseudoTerminal()
      let process = Process.program("auth")
      try terminal.start(process)
      try await terminal.askForThePassword(of: "iankeen")
      try terminal.user.write("half a pass")
      kill(process.processIdentifier, signal)
      XCTAssertEqual(process.status(), status)
      XCTAssertTrue(terminal.echoes, "after signal \(signal)")
    }
  }
}
