import AsyncChannels
import AsyncViewModels

/// All systems in turn.
@MainActor
struct Tour {
  let console: Console

  func run() async throws {
    for demo in [MembersDemo.self] as [any Demo.Type] {
      try await demo.init(
        console: console, lines: Script(demo.script, echo: console), arguments: []
      ).run()
    }
  }
}
