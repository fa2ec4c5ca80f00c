import AsyncChannels
import AsyncViewModels

/// A workout: every line is an exercise done, and the profile shows how many it has heard of.
struct WorkoutDemo: Demo {
  static let name = "workout"
  static let summary = "every line is an exercise done; shows the count the profile sees"
  static let help = """
    usage: asyncdemo workout

    Every line of standard input is an exercise done, whatever is on it. The workout counts it; the
    profile, which can only listen, shows the count.

    """
  static let script = ["squats", "lunges", "plank"]

  private let console: Console
  private let lines: any LineSource
  private let workout = ExerciseExecutionCountNotifier()
  private let profile: any WorkoutProfileViewModelType
  private let counts: Subscription<Int>

  init(console: Console, lines: any LineSource, arguments: [String]) throws {
    try UsageError.refuse(arguments, of: Self.self)
    self.console = console
    self.lines = lines
    profile = WorkoutProfileViewModel(notifier: workout)
    counts = profile.executionCountOutlet.subscribe()
  }

  func run() async throws {
    try await withRunning(profile) {
      // What the profile holds when it is made, and what it hears first.
      _ = await counts.next()
      try await show()
      while let line = try await lines.next() {
        if let problem = line.problem {
          try console.write(problem + "\n")
          continue
        }
        await workout.exerciseExecuted()
        try await show()
      }
    }
  }

  private func show() async throws {
    guard let count = await counts.next() else { return }
    try console.write(console.bold("Exercises done: \(count)") + "\n")
  }
}
