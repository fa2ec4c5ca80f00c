import AsyncChannels
import Glibc
import Toolkit

/// What states cost that a window observes, beside closures that are called directly.
///
/// Each of a number of labels gets a new text in each of 300 frames, 60 a second. All of the main thread's
/// time is counted: writing, delivering, and GTK's own for texts, layout and drawing.
@main
final class FrameCosts {
  private let labels: [Label]
  private let write: (Int) -> Void
  private var tokens: Set<CancellationToken> = []

  /// `FrameCosts observed|closures NUMBER`
  static func main() {
    let words = CommandLine.arguments
    guard words.count == 3, let count = Int(words[2]) else { exit(64) }
    let application = Application(id: "org.example.FrameCosts")
    var costs: FrameCosts?
    let status = application.run {
      costs = FrameCosts(count: count, isObserved: words[1] == "observed")
      costs?.open(in: application)
    }
    exit(status)
  }

  private init(count: Int, isObserved: Bool) {
    let labels = (0..<count).map { _ in Label("0") }
    self.labels = labels
    guard isObserved else {
      let setters = labels.map { label in { (value: Int) in label.text = "\(value)" } }
      write = { value in for setter in setters { setter(value) } }
      return
    }
    let states = labels.map { _ in CurrentValue(0) }
    write = { value in for state in states { state.value = value } }
    for (state, label) in zip(states, labels) {
      state.outlet.observe { label.text = "\($0)" }.store(in: &tokens)
    }
  }

  private func open(in application: Application) {
    let rows = Box.column()
    for start in stride(from: 0, to: labels.count, by: 10) {
      let row = Box.row()
      labels[start..<min(start + 10, labels.count)].forEach(row.add)
      rows.add(row)
    }
    let window = Window(of: application, title: "Costs", width: 640, height: 440)
    window.addPage(rows, title: "Labels")
    window.present()
    Task {
      await writeFrames(100)
      let (before, turns) = (used(), MainQueue.turns)
      await writeFrames(300)
      print((used() - before) / 300, (MainQueue.turns - turns) / 300)
      exit(0)
    }
  }

  private func writeFrames(_ count: Int) async {
    var next = ContinuousClock.now
    for number in 0..<count {
      write(1_000 + number)
      next += .microseconds(16_667)
      try? await Task.sleep(until: next)
    }
  }

  /// What the main thread has used, in microseconds.
  private func used() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000 + time.tv_nsec / 1_000
  }
}
