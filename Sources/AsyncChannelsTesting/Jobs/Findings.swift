import AsyncChannels
import AsyncChannelsRecording

/// What makes a test in test time inexact, and is said when it has ended.
struct Findings: Sendable {
  private var sentences: [String] = []
  private var sleeps: [RealSleep] = []

  /// A sleep on a real clock.
  private struct RealSleep {
    /// The task, by number.
    let sleeper: UInt64?
    /// Nil if it is not known.
    let duration: Duration?
    /// The functions in which the sleeper is suspended; nil until that is known.
    var functions: [String]?

    var sentence: String {
      let time = duration.map { "for \($0.inMilliseconds) ms " } ?? ""
      let place = (functions ?? []).isEmpty ? "" : ", \(SuspendedTask.place(functions ?? []))"
      return """
        A task slept \(time)on a real clock, which the test does not move\(place.isEmpty ? "." : place) Give it the \
        clock of the test, time.clock, in place of Task.sleep(for:) or of a default clock.
        """
    }
  }

  var text: String? {
    let all = sleeps.map(\.sentence).reduce(into: sentences) { all, sentence in
      if !all.contains(sentence) { all.append(sentence) }
    }
    return all.isEmpty ? nil : all.joined(separator: "\n")
  }

  mutating func add(_ sentence: String) {
    if !sentences.contains(sentence) { sentences.append(sentence) }
  }

  /// A loop that sleeps again and again is told by its first 100.
  mutating func noteRealSleep(of sleeper: UInt64?, _ duration: Duration?) {
    if sleeps.count < 100 { sleeps.append(RealSleep(sleeper: sleeper, duration: duration)) }
  }

  /// The tasks that sleep where it is not known yet, by number.
  var unplacedSleepers: [UInt64] {
    sleeps.lazy.filter { $0.functions == nil }.compactMap(\.sleeper)
  }

  mutating func notePlace(of sleeper: UInt64, _ functions: [String]) {
    for index in sleeps.indices where sleeps[index].sleeper == sleeper {
      if sleeps[index].functions == nil { sleeps[index].functions = functions }
    }
  }

  var isEmpty: Bool { sentences.isEmpty && sleeps.isEmpty }

  /// - Parameter place: Of the call of `withTestTime` that has left it; nil if it is not known.
  mutating func noteOutsider(from place: SourceLocation?) {
    let origin =
      place.map { " The closure of \($0) has left it: cancel there what is begun there." } ?? ""
    add(
      """
      A task or an observer that was made before the closure of withTestTime began was woken in it.\(origin) What it did \
      before that, it did on other threads, so the test could not wait for it. Make and start what is tested inside the closure.
      """)
  }
}

extension Duration {
  /// To the nearest.
  fileprivate var inMilliseconds: Int64 {
    Int64((self / .milliseconds(1)).rounded())
  }
}
