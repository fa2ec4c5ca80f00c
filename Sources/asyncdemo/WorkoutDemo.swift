import AsyncChannels
import AsyncChannelsRecording
import AsyncViewModels

/// A workout: every line is an exercise done, and the profile shows how many it has heard of.
struct WorkoutDemo: Demo {
  static let name = "workout"
  static let summary = "every line is an exercise done; shows the count the profile sees"
  static let help = """
    usage: asyncdemo workout

    Every line of standard input, with any text, is an exercise that was done. The workout counts it.
    The profile, which can only listen, shows the count.

    """
  static let script = ["squats", "lunges", "plank"]

  private let console: Console
  private let lines: any LineSource
  private let workout = ExerciseExecutionCountNotifier()
  private let profile: WorkoutProfileViewModel
  private let summaries: Subscription<String>

  init(console: Console, lines: any LineSource, arguments: [String]) throws {
    try UsageError.refuse(arguments, of: Self.self)
    self.console = console
    self.lines = lines
    profile = WorkoutProfileViewModel(notifier: workout)
    summaries = profile.summary.subscribe()
  }

  func record(in recording: Recording) async {
    await recording.add(workout)
    recording.add(profile)
  }

  func run() async throws {
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

  private func show() async throws {
    guard let summary = await summaries.next() else { return }
    try console.write(console.bold(summary) + "\n")
  }
}
