import AsyncChannelsRunning
import Toolkit

/// A window with three labels and a button, opened and closed.
final class Opening {
  private let isObserved: Bool
  private var tokens: Set<CancellationToken> = []

  init(isObserved: Bool) {
    self.isObserved = isObserved
  }

  /// - Returns: What it costs to open a window, to draw it, and to close it.
  func cost(of windows: Int, in application: Application) async -> Int {
    var shown: Window?
    let reopen = { [self] (number: Int) in
      shown?.close()
      tokens = []
      shown = open(number, in: application)
    }
    _ = await perFrame(20, reopen)
    return await perFrame(windows, reopen)
  }

  private func open(_ number: Int, in application: Application) -> Window {
    let labels = (0..<3).map { _ in Label() }
    let button = Button("Count")
    let page = Box.column(button)
    labels.forEach(page.add)
    if isObserved {
      let viewModel = CounterViewModel(number)
      button.onClick { viewModel.increment.send() }
      viewModel.start().store(in: &tokens)
      for label in labels {
        viewModel.$count.observe { label.text = "\($0)" }.store(in: &tokens)
      }
    } else {
      var count = number
      let show = { labels.forEach { $0.text = "\(count)" } }
      button.onClick {
        count += 1
        show()
      }
      show()
    }
    let window = Window(of: application, title: "Opening", width: 640, height: 440)
    window.addPage(page, title: "Count")
    window.present()
    return window
  }
}

private final class CounterViewModel: ViewModel {
  @Input var increment: Inlet<Void>
  @CurrentValue var count = 0

  init(_ count: Int) {
    self.count = count
  }

  func run() async {
    for await _ in _increment.received { count += 1 }
  }
}
