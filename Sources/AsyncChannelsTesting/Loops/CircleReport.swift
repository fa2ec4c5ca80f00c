import AsyncChannels
import AsyncChannelsRecording

/// What is said of work that causes itself.
@MainActor
struct CircleReport {
  let jobs: TestJobs
  let stepLimit: Int

  /// Runs the loop on for a little, to record it.
  func text(of circle: LoopWatch.Circle) -> String {
    let recording = Recording(limit: 24)
    for owner in jobs.watch.owners { recording.add(owner, isolation: MainActor.shared) }
    let logs = circle.logs.compactMap(\.followed)
    for log in logs where Recording.name(of: log) == nil {
      recording.add(nameless: log, as: log.genericTitle)
    }
    // One by one, since a job of a loop that never waits may have thousands of steps.
    for _ in 0..<80 where recording.flow.events.count < 8 { _ = jobs.runReady(atMost: 1) }
    // The tasks that sent may have ended.
    let places = jobs.places(of: circle.tasks + jobs.readyTasks).prefix(3)
    return
      ([sentence(logs.map(name))] + places.map { "- The loop is \($0)" }
      + (logs.isEmpty ? [] : ["What happened last:", recording.text(legend: false)]))
      .joined(separator: "\n")
  }

  private func sentence(_ names: [String]) -> String {
    let what =
      switch names.count {
      case 0: "tasks make tasks"
      case 1: "\(names[0]) is sent to because of what was sent to it before"
      default: "what is sent goes round, through \(names.reversed().joined(separator: " and "))"
      }
    return """
      Work causes itself: \(what). \(stepLimit) steps have followed from each other while the clock stood at \
      \(jobs.clock.now). If this ends, give withTestTime a higher stepLimit.
      """
  }

  private func name(of log: BroadcastLogBase) -> String {
    Recording.name(of: log) ?? "a \(log.genericTitle)"
  }
}

extension BroadcastLogBase {
  /// `Channel<Int>`
  fileprivate var genericTitle: String { "Channel\("\(type(of: self))".drop { $0 != "<" })" }
}
