import AsyncChannelsRecording
import AsyncChannelsRunning
import AsyncViewModels

/// A profile: every line is the number of a user to load, and each state is shown.
struct ProfileDemo: Demo {
  static let name = "profile"
  static let summary = "every line is a user's number to load; shows each state"
  static let help = """
    usage: asyncdemo profile

    Every line of standard input is the number of a user to load; an empty line loads the same user
    again. Each state of the profile is shown. There are the users 1, 2 and 3.

    """
  static let script = ["1", "7", "3"]

  private let console: Console
  private let lines: any LineSource
  private let profile: ProfileViewModel
  private let states: Subscription<ProfileViewModel.State>

  init(console: Console, lines: any LineSource, arguments: [String]) throws {
    try UsageError.refuse(arguments, of: Self.self)
    self.console = console
    self.lines = lines
    profile = ProfileViewModel(loader: BuiltInUsers())
    states = profile.state.subscribe()
  }

  func record(in recording: Recording) async {
    recording.add(profile)
  }

  func run() async throws {
    try await withRunning(profile) {
      // What it holds before a user is asked for.
      _ = await states.next()
      var hasUser = false
      while let line = try await lines.next() {
        guard case .text(let text) = line else {
          try console.write((line.problem ?? "") + "\n")
          continue
        }
        if text.trimmed.isEmpty, hasUser {
          profile.reload.send()
        } else if let id = User.ID(text.trimmed) {
          profile.load.send(id)
          hasUser = true
        } else {
          try console.write("a user has a number, not \(text.trimmed.quoted)\n")
          continue
        }
        try await showLoad()
      }
    }
  }

  /// A load causes two states: loading, and how it ended.
  private func showLoad() async throws {
    for _ in 0..<2 {
      guard let state = await states.next() else { return }
      let text =
        switch state {
        case .isLoading: "Loading …"
        case .loaded(let user): console.bold("User \(user.id): \(user.name)")
        case .failed(let error): "Failed: \(error)"
        }
      try console.write(text + "\n")
    }
  }
}

/// Users that need no server.
private struct BuiltInUsers: UserLoader {
  private struct Unknown: Error, CustomStringConvertible {
    let id: User.ID
    var description: String { "there is no user \(id)" }
  }

  func user(_ id: User.ID) async throws -> User {
    guard let name = [1: "Ann", 2: "Bob", 3: "Cy"][id] else { throw Unknown(id: id) }
    return User(id: id, name: name)
  }
}
