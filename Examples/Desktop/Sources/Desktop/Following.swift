import AsyncChannels
import Observation
import Toolkit

extension TextField {
  /// Shows what a binding has to show, now and after each change, until the token ends.
  ///
  /// The user's own edits go the other way: `field.onChange { text.value = $0 }`.
  func show(_ text: SplitBinding<String>) -> CancellationToken {
    show(text.value)
    return Following {
      // It may have changed again by the time this is told, so it is read when it is shown.
      for await _ in Observations({ text.value }) { self.show(text.value) }
    }.start()
  }
}

extension StateOutlet {
  /// Calls a closure with the value now and with the newest one 60 times a second at most: for state
  /// that is written more often than a screen shows it. What comes in between is passed over.
  func observeNewest(_ body: @escaping (Value) -> Void) -> CancellationToken {
    let values = subscribe(buffering: .bufferingNewest(1))
    body(value)
    return Following {
      for await value in values {
        body(value)
        try? await Task.sleep(for: .milliseconds(16))
      }
    }.start()
  }
}

/// A loop that goes on until its token ends, as a view model's does.
private final class Following: ViewModel {
  private let loop: () async -> Void

  init(_ loop: @escaping () async -> Void) {
    self.loop = loop
  }

  func run() async {
    await loop()
  }
}
