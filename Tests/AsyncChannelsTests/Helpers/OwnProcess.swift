import Foundation
import TestSupport
import XCTest

/// XCTest cannot test that a program dies. So a test that provokes it runs the test executable again,
/// for itself alone, and with an environment variable that names the piece of code to run there.
extension XCTestCase {
  /// Checks that a piece of code ends the process, and with which sentence.
  ///
  /// - Parameter name: Tells the pieces of one test apart.
  func assertTraps(
    _ name: String, saying sentence: String, test: String = #function,
    file: StaticString = #filePath, line: UInt = #line,
    _ code: @Sendable () async throws -> Void
  ) async throws {
    guard let run = try await runAlone(name, test: test, code) else { return }
    guard case .signal(let signal) = run.end else {
      return XCTFail("\(name): expected a trap, but it \(run.end)", file: file, line: line)
    }
    XCTAssert([SIGILL, SIGTRAP].contains(signal), "\(name): signal \(signal)")
    XCTAssert(
      run.standardError.contains(sentence), "\(name) said: \(run.standardError)", file: file,
      line: line)
  }

  /// Checks that a piece of code runs to its end, where a fault might end the process.
  ///
  /// - Returns: What it wrote to standard error; nil if that is not known here.
  @discardableResult
  func assertSurvives(
    _ name: String, test: String = #function, file: StaticString = #filePath, line: UInt = #line,
    _ code: @Sendable () async throws -> Void
  ) async throws -> String? {
    guard let run = try await runAlone(name, test: test, code) else { return nil }
    guard case .exit(0) = run.end else {
      XCTFail("\(name): \(run.end): \(run.standardError)", file: file, line: line)
      return nil
    }
    return run.standardError
  }

  /// Nil in the process of another piece of the same test.
  private func runAlone(
    _ name: String, test: String, _ code: @Sendable () async throws -> Void
  ) async throws -> ChildProcess? {
    if let wanted = ProcessInfo.processInfo.environment[OwnProcess.variable] {
      guard wanted == name else { return nil }
      do {
        try await code()
      } catch {
        FileHandle.standardError.write(Data("\(error)\n".utf8))
        exit(1)
      }
      exit(0)
    }
    #if os(Linux)
      let method = test.prefix { $0 != "(" }
      return try await OwnProcess.run("\(String(reflecting: type(of: self)))/\(method)", name)
    #else
      throw XCTSkip("Running one test in a process of its own is only written for Linux.")
    #endif
  }
}

private enum OwnProcess {
  static let variable = "ASYNCCHANNELS_TEST_PIECE"

  static func run(_ test: String, _ name: String) async throws -> ChildProcess {
    var environment = ProcessInfo.processInfo.environment
    environment[variable] = name
    // Neither the runtime's backtrace, which takes seconds, nor the sanitizer's own handlers.
    environment["SWIFT_BACKTRACE"] = "enable=no"
    environment["TSAN_OPTIONS"] =
      (environment["TSAN_OPTIONS"].map { $0 + ":" } ?? "")
      + "handle_sigill=0:handle_sigtrap=0:handle_segv=0:handle_abort=0"
    // The death is expected: it is to leave no core file.
    let arguments = ["-c", "ulimit -c 0; exec \"$0\" \"$@\"", CommandLine.arguments[0], test]
    return try await ChildProcess.run("/bin/sh", arguments, environment: environment)
  }
}
