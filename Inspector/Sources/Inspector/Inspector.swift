import ArgumentParser
import Dispatch
import Foundation
import Hummingbird
import Logging

@main
struct Inspector: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspector",
    abstract: "Shows the flow of running programs in a browser.",
    discussion: """
      Programs connect with Recording.inspect(as:) or asyncdemo's --inspect. Files with their lines are followed while \
      they grow; '-' is the standard input.
      """)

  @Argument(help: "Files of lines to show.") var files: [String] = []
  @Option(help: "The port of the page; 0 for any that is free.") var port = 4242
  @Option(help: "The port to which programs connect; 0 for any that is free.") var programs = 4243
  @Option(help: "A Unix socket to which programs connect, too.") var unix: String?
  @Option(help: "The address to listen on. Beyond this machine, it takes a token.")
  var host = "127.0.0.1"
  @Option(help: "What pages and programs must know. (Default: a new one, if one is needed)")
  var token: String?

  func validate() throws {
    guard 0...65_535 ~= port, 0...65_535 ~= programs else {
      throw ValidationError("A port is a number up to 65535.")
    }
  }

  func run() async throws {
    let isLocal = ["127.0.0.1", "::1", "localhost"].contains(host)
    let token = token ?? (isLocal ? nil : String(UInt64.random(in: .min ... .max), radix: 36))
    let lines = LineStore()
    let intake = Intake(lines: lines, token: token)
    try await withThrowingDiscardingTaskGroup { group in
      for file in files { try intake.read(file, in: &group) }
      let place = try await intake.listen(at: host, port: programs, unix: unix, in: &group)
      let page = Page(lines: lines, isLocal: isLocal, token: token)
      let application = Application(
        router: page.router(), server: .http1(),
        configuration: .init(address: .hostname(host, port: port)),
        onServerRunning: { channel in
          let port = channel.localAddress?.port ?? 0
          let end = token.map { "?token=\($0)" } ?? ""
          print("http://\(host):\(port)/\(end)\nprograms connect to \(place)")
          fflush(nil)
        }, logger: .init(label: "inspector") { _ in SwiftLogNoOpLogHandler() })
      try await application.runService()
      group.cancelAll()
    }
  }
}
