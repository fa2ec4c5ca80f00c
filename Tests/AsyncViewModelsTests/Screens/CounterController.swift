import AsyncChannelsRunning

/// A controller without SwiftUI: labels that follow a view model, a button that sends to it.
@MainActor
final class CounterController {
  let label = Label()
  let button = Button()
  private let counter = Counter()
  private var tokens: Set<CancellationToken> = []

  func viewDidLoad() {
    counter.start().store(in: &tokens)
    counter.$count.observe { [label] in label.text = "\($0)" }.store(in: &tokens)
    button.taps.outlet.observe(counter.increment.send).store(in: &tokens)
  }
}

@MainActor
final class Counter: ViewModel {
  @Input var increment: Inlet<Void>
  @CurrentValue private(set) var count = 0

  func run() async {
    for await _ in _increment.received { count += 1 }
  }
}

/// What a toolkit has.
@MainActor
final class Label {
  var text = ""
}

@MainActor
final class Button {
  let taps = Channel<Void>()
}
