import AsyncChannels
import Toolkit

/// Labels that all get a new text in each frame.
final class Labels {
  private let labels: [Label]
  private let write: (Int) -> Void
  private var tokens: Set<CancellationToken> = []

  init(count: Int, isObserved: Bool) {
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

  func cost(in application: Application) async -> Int {
    let rows = Box.column()
    for start in stride(from: 0, to: labels.count, by: 10) {
      let row = Box.row()
      labels[start..<min(start + 10, labels.count)].forEach(row.add)
      rows.add(row)
    }
    let window = Window(of: application, title: "Labels", width: 640, height: 440)
    window.addPage(rows, title: "Labels")
    window.present()
    _ = await perFrame(100) { write(1_000 + $0) }
    return await perFrame(300) { write(1_000 + $0) }
  }
}
