import AsyncChannels
import Foundation
import Logging
import ServiceLifecycle
import SharedChannels
import SharedLogSQLite

/// An office that sells seats: `BoxOffice sales.sqlite reports.sqlite`. A line such as `7 Ann` sells a seat. Several offices
/// may run over the same files.
@main
struct BoxOffice {
  static func main() async throws {
    guard CommandLine.arguments.count == 3 else {
      FileHandle.standardError.write(Data("usage: BoxOffice sales.sqlite reports.sqlite\n".utf8))
      exit(64)
    }
    let (log, path) = (CommandLine.arguments[1], CommandLine.arguments[2])
    let sales = SharedChannel(Sales(), log: try SQLiteLog(path: log))
    let reports = try Reports(path: path, of: sales)
    let mailer = OutboxWorker(
      sales, \.mails, command: { .mails($0) }, lease: .seconds(2),
      carryOut: { mail, key in try await reports.write(mail, key: key) })
    let counter = Counter(sales: sales)
    let group = ServiceGroup(
      configuration: .init(
        services: [
          .init(service: sales), .init(service: reports), .init(service: mailer),
          .init(service: counter, successTerminationBehavior: .gracefullyShutdownGroup),
        ], gracefulShutdownSignals: [.sigterm], logger: Logger(label: "office")))
    try await group.run()
  }
}

/// Where seats are sold, until there are no more lines.
struct Counter: Service {
  let sales: SharedChannel<Sales>

  func run() async {
    for await line in Self.lines().cancelOnGracefulShutdown() {
      let words = line.split(separator: " ")
      guard words.count == 2, let seat = Int(words[0]) else {
        tell("a line has a number and a name, and this one is: \(line)")
        continue
      }
      tell("\(seat) \(await sell(seat, to: String(words[1])))")
    }
  }

  /// Unlike `print`, this keeps nothing back when the output is a pipe.
  private func tell(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
  }

  private func sell(_ seat: Int, to name: String) async -> String {
    let command = Keyed(key: UUID().uuidString, Sales.Command.sell(seat: seat, to: name))
    while !Task.isCancelled, !Task.isShuttingDownGracefully {
      switch await sales.commands.ask(command) {
      case .applied(.sold, at: _)?: return "sold"
      case .applied(.taken(let owner), at: _)?: return "taken by \(owner)"
      case .applied(.noted, at: _)?, .repeated?: return "done before"
      case .notStored(let reason)?: return "not stored: \(reason)"
      case nil: try? await Task.sleep(for: .milliseconds(100))
      }
    }
    return "unknown"
  }

  private static func lines() -> AsyncStream<String> {
    let (lines, line) = AsyncStream.makeStream(of: String.self)
    Thread.detachNewThread {
      while let text = readLine() { line.yield(text) }
      line.finish()
    }
    return lines
  }
}
