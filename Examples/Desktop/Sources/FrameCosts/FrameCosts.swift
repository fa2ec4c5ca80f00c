import CGtk
import Toolkit

/// What it costs the main thread that a window is joined to states and a view model, beside the same
/// window with closures that call each other.
///
/// All of the thread's time is counted: writing, delivering, and GTK's own for texts, layout and drawing.
@main
enum FrameCosts {
  /// `FrameCosts labels|typing|opening observed|closures NUMBER`: prints microseconds.
  static func main() {
    let words = CommandLine.arguments
    guard words.count == 4, let count = Int(words[3]) else { exit(64) }
    let isObserved = words[2] == "observed"
    let application = Application(id: "org.example.FrameCosts")
    let status = application.run {
      application.hold()
      Task {
        switch words[1] {
        case "labels":
          print(await Labels(count: count, isObserved: isObserved).cost(in: application))
        case "typing": print(await Typing(isObserved: isObserved).cost(of: count, in: application))
        case "opening":
          print(await Opening(isObserved: isObserved).cost(of: count, in: application))
        default: exit(64)
        }
        exit(0)
      }
    }
    exit(status)
  }
}

/// Calls a closure in each of some frames, at 60 a second.
///
/// - Returns: What the main thread used for a frame, in microseconds.
func perFrame(_ frames: Int, _ body: (Int) -> Void) async -> Int {
  let before = used()
  var next = ContinuousClock.now
  for frame in 0..<frames {
    body(frame)
    next += .microseconds(16_667)
    try? await Task.sleep(until: next)
  }
  return (used() - before) / frames
}

/// What the main thread has used so far, in microseconds.
private func used() -> Int {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return time.tv_sec * 1_000_000 + time.tv_nsec / 1_000
}
