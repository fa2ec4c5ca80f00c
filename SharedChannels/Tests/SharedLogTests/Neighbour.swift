import Foundation
import SharedChannels
import SharedLogConformance
import XCTest

/// A process that appends to a log beside the channels of a trial, until it is killed. The next one begins with the
/// batch of which nobody knows whether it was stored.
actor Neighbour {
  private let command: AppenderCommand
  /// Where the process acknowledges.
  private let lines: URL
  private var process: Process?
  private var began = ContinuousClock.now
  private var first = 1
  private var batches: [Batch] = []

  /// How long each step may take, since the machine may be busy.
  private static let limit = Duration.seconds(60)

  private struct Batch {
    let number: Int
    let began: ContinuousClock.Instant
    /// Nil if it was not acknowledged.
    let ended: ContinuousClock.Instant?
  }

  init(_ command: AppenderCommand, lines: URL) {
    (self.command, self.lines) = (command, lines)
  }

  /// Returns when the process has appended.
  func start() async throws {
    began = .now
    let process = try command.start(at: first, writingTo: lines)
    self.process = process
    while try acknowledged() == nil {
      guard process.isRunning else { throw LogFailure.refused("the process has ended") }
      guard began + Self.limit > .now else {
        throw LogFailure.unreachable("the process has acknowledged nothing after \(Self.limit)")
      }
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  func kill() throws {
    guard let process else { return }
    send(SIGKILL)
    process.waitUntilExit()
    self.process = nil
    let last = try acknowledged() ?? first - 1
    for number in first..<last + 1 {
      batches.append(Batch(number: number, began: began, ended: .now))
    }
    batches.append(Batch(number: last + 1, began: began, ended: nil))
    first = last + 1
  }

  /// Stops the process (SIGSTOP) in a transaction: so that nobody can append.
  func freeze(_ log: any SharedLog) async throws {
    let deadline = ContinuousClock.now + Self.limit
    while ContinuousClock.now < deadline {
      send(SIGSTOP)
      let end = try await log.end()
      try await Task.sleep(for: .milliseconds(300))
      if try await log.end() == end { return }
      send(SIGCONT)
      try await Task.sleep(for: .milliseconds(.random(in: 0...50)))
    }
    throw LogFailure.unreachable("the process was in no transaction for \(Self.limit)")
  }

  func thaw() { send(SIGCONT) }

  /// What all processes were told: that a batch is stored. Where it is, the log says.
  func history(in log: [Logged<Data>]) throws -> ClientHistory {
    var positions: [String: Position] = [:]
    for entry in log { positions[entry.key] = entry.position }
    var history = ClientHistory()
    for batch in batches {
      for key in AppenderProgram.batch(batch.number).map(\.key) {
        guard let ended = batch.ended else {
          history.note(nil, for: key, from: batch.began)
          continue
        }
        let position = try XCTUnwrap(positions[key], "\(key) was acknowledged, and is lost")
        history.note(.repeated(at: position), for: key, from: batch.began, to: ended)
      }
    }
    return history
  }

  private func send(_ signal: Int32) {
    guard let process else { return }
    Foundation.kill(process.processIdentifier, signal)
  }

  /// The last batch.
  private func acknowledged() throws -> Int? {
    String(decoding: try Data(contentsOf: lines), as: UTF8.self).split(separator: "\n").last
      .flatMap { Int($0) }
  }
}
