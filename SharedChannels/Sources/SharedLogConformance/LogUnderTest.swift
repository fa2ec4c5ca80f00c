public import Foundation
public import SharedChannels

/// What ``LogConformance`` needs of an engine. Its author implements it in the tests.
public protocol LogUnderTest: Sendable {
  /// A handle of its own on the log of this name, as another machine has one. Makes the log if it is missing.
  ///
  /// - Parameter name: A lower-case letter, then at most 30 lower-case letters and digits.
  func open(_ name: String) async throws -> any SharedLog

  /// Keeps a copy of what the log has now. No handle is open.
  func backUp(_ name: String) async throws

  /// Sets the log back to the copy. No handle is open.
  func restore(_ name: String) async throws

  /// How to start a process that opens the log of this name and calls ``AppenderProgram/run(_:first:)``; nil if a log
  /// has only one process. The suite adds an argument, which is `first`.
  func appender(_ name: String) -> AppenderCommand?
}

/// A program and its first arguments.
public struct AppenderCommand: Sendable {
  /// The file of the program.
  public let executable: URL
  /// What stands before the number that the suite adds.
  public let arguments: [String]

  public init(executable: URL, arguments: [String]) {
    (self.executable, self.arguments) = (executable, arguments)
  }
}

/// What an engine does not do as ``SharedLog`` promises it.
public struct ConformanceFailure: Error, CustomStringConvertible {
  /// Which check failed.
  public let check: LogConformance.Check
  /// What was wrong.
  public let reason: String

  public var description: String { "\(check): \(reason)" }
}
