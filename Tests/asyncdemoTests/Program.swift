import Foundation
import Synchronization
import TestSupport
import XCTest

/// The built program, run as a user runs it.
struct Program {
  var output = ""
  var errors = ""
  /// As a shell sees it; 128 and the signal if one ended it.
  var status: Int32 = -1

  /// Runs the program to its end, or kills it after `limit` seconds.
  static func run(
    _ arguments: String..., input: Data = Data(), limit: Double = 30
  ) throws -> Program {
    try run(arguments, input: input, limit: limit)
  }

  static func run(
    _ arguments: [String], input: Data = Data(), limit: Double = 30
  ) throws -> Program {
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    return try run(process, input: input, limit: limit)
  }

  /// Runs the program with each of these arguments, as many at a time as there are processors.
  static func runEach(_ arguments: [[String]], input: Data = Data()) throws -> [Program] {
    let results = Mutex([Result<Program, any Error>?](repeating: nil, count: arguments.count))
    DispatchQueue.concurrentPerform(iterations: arguments.count) { place in
      let result = Result { try run(arguments[place], input: input) }
      results.withLock { $0[place] = result }
    }
    return try results.withLock { $0 }.map { try $0!.get() }
  }

  /// Runs a demo with standard streams closed by a shell, which is told so in its own words.
  static func run(_ demo: String, closing: String) throws -> Program {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", "exec \"$0\" \(demo) \(closing)", executable.path]
    return try run(process, input: Data(), limit: 10)
  }

  private static func run(_ process: Process, input: Data, limit: Double) throws -> Program {
    let (input, output, errors) = (try file(input), try file(), try file())
    process.standardInput = input
    process.standardOutput = output
    process.standardError = errors
    try process.start()
    let status = process.status(limit: limit)
    return Program(
      output: try text(of: output), errors: try text(of: errors), status: status)
  }

  /// Beside the tests' own bundle in the build folder.
  static var executable: URL {
    URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(
      path: "asyncdemo")
  }

  /// A temporary file that nobody else sees. Unlike a pipe, it never blocks whoever writes to it.
  private static func file(_ contents: Data = Data()) throws -> FileHandle {
    let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try contents.write(to: url)
    let handle = try FileHandle(forUpdating: url)
    try FileManager.default.removeItem(at: url)
    return handle
  }

  private static func text(of file: FileHandle) throws -> String {
    try file.seek(toOffset: 0)
    return String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
  }
}

/// Checks that a demo answers an input with exactly this output, no errors and 0.
func assertDemo(
  _ demo: String, given input: some Sequence<UInt8>, prints output: String,
  file: StaticString = #filePath, line: UInt = #line
) throws {
  let program = try Program.run(demo, input: Data(input))
  XCTAssertEqual(program.output, output, file: file, line: line)
  XCTAssertEqual(program.errors, "", file: file, line: line)
  XCTAssertEqual(program.status, 0, file: file, line: line)
}
