import Foundation
import TestSupport
import XCTest

// The program while it runs, for tests that talk with it.

extension Process {
  /// The built program, not yet started.
  static func program(_ arguments: String...) -> Process {
    let process = Process()
    process.executableURL = Program.executable
    process.arguments = arguments
    return process
  }

  /// How it ended, as a shell sees it. Kills a program that does not end.
  func status(limit: Double = 20) -> Int32 {
    if !ends(within: limit) {
      kill(processIdentifier, SIGKILL)
      precondition(ends(within: 20), "the program runs on after it was killed")
    }
    return terminationReason == .exit ? terminationStatus : 128 + terminationStatus
  }
}

extension FileHandle {
  /// Reads until the text has come, and returns all that came. The program's end, or its being
  /// killed, ends this too.
  @discardableResult
  func read(upTo text: String, line: UInt = #line) throws -> String {
    var seen = Data()
    while seen.range(of: Data(text.utf8)) == nil {
      guard let part = try? read(upToCount: 1), !part.isEmpty else {
        XCTFail("the output ended after \(String(decoding: seen, as: UTF8.self))", line: line)
        break
      }
      seen += part
    }
    return String(decoding: seen, as: UTF8.self)
  }

  func write(_ text: String) throws {
    try write(contentsOf: Data(text.utf8))
  }
}
