import Foundation
import TestSupport
import XCTest

/// A terminal with nobody at it but a test.
struct PseudoTerminal {
  /// The user's side: what is written here is typed, what is read is on the screen.
  let user: FileHandle
  /// The program's side.
  let device: FileHandle

  init() throws {
    #if os(Linux)
      // `posix_openpt` and its like are not in the Glibc module, nor are these two requests.
      let (unlock, number): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
      let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY)
      var locked: CInt = 0
      var index: CInt = 0
      guard ioctl(terminal, unlock, &locked) == 0, ioctl(terminal, number, &index) == 0 else {
        throw XCTSkip("there is no pseudo terminal here")
      }
      // It must not become the terminal that controls the tests, should they have none.
      let device = open("/dev/pts/\(index)", O_RDWR | O_NOCTTY)
      try XCTSkipIf(device < 0, "there is no pseudo terminal here")
      self.device = FileHandle(fileDescriptor: device, closeOnDealloc: true)
      user = FileHandle(fileDescriptor: terminal, closeOnDealloc: true)
    #else
      throw XCTSkip("only Linux's pseudo terminals are tried")
    #endif
  }

  /// Starts the program on this terminal.
  func start(_ process: Process) throws {
    process.standardInput = device
    process.standardOutput = device
    try process.start()
  }

  /// Whether the terminal shows what is typed.
  var echoes: Bool { Self.echoes(device.fileDescriptor) }

  static func echoes(_ descriptor: CInt) -> Bool {
    var settings = termios()
    guard tcgetattr(descriptor, &settings) == 0 else { return false }
    return settings.c_lflag & tcflag_t(ECHO) != 0
  }

  /// Answers the first prompt of `auth`, and returns when the terminal hides what is typed.
  func askForThePassword(of name: String) async throws {
    try user.read(upTo: "User name: ")
    XCTAssertTrue(echoes)
    try user.write("\(name)\n")
    let seen = try user.read(upTo: "Password: ")
    XCTAssertEqual(seen, "\(name)\r\nPassword: ")
    let descriptor = device.fileDescriptor
    try await until("the terminal hides what is typed") { !Self.echoes(descriptor) }
  }
}
