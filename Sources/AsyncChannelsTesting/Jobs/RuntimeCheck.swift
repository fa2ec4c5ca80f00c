import AsyncChannels
import AsyncChannelsRecording

/// Whether the runtime is as `Runtime` says: asked before the first test of a process, since all others rely on that.
@MainActor
enum RuntimeCheck {
  /// A sentence if it is not.
  static let failure =
    Runtime.isKnown
    ? sentence(wrong: check()) : "Test time only knows the runtime of systems with 64 bits."

  static func sentence(wrong parts: [String]) -> String? {
    if parts.isEmpty { return nil }
    return """
      The runtime of this version of Swift keeps \(parts.joined(separator: " and ")) elsewhere than AsyncChannelsTesting \
      knows, so a test in test time would be wrong: use a version of the package for this one.
      """
  }

  /// It has something to do: the optimizer leaves out the way to an actor that has not.
  private actor Probed {
    private var count = 0

    @inline(never)
    func work() { count += 1 }
  }

  /// What is not where it is expected. Nothing if jobs are not seen at all: each run looks for that.
  private static func check() -> [String] {
    let jobs = TestJobs(.asReady, stepLimit: 100, at: SourceLocation(fileID: #fileID, line: #line))
    let actor = Probed()
    var number: UInt64?
    TestExecutors.install()
    defer { TestExecutors.remove() }
    let task = jobs.begin {
      Task { @MainActor in
        number = CurrentTask.number
        await actor.work()
      }
    }
    if task != nil { _ = jobs.runReady(atMost: 100) }
    let wrong = task == nil ? [] : jobs.unexpected(closure: number, actor: actor)
    _ = jobs.end()
    return wrong
  }
}

extension TestJobs {
  fileprivate func unexpected(closure: UInt64?, actor: any Actor) -> [String] {
    var wrong: [String] = []
    if closure == nil || closure != self.closure { wrong.append("the numbers of tasks") }
    if !knows(actor) { wrong.append("the jobs of actors") }
    if !haveAllEnded { wrong.append("the ends of tasks") }
    return wrong
  }
}
