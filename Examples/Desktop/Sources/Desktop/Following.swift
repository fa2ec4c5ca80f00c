import AsyncChannels
import Observation
import Toolkit

extension TextField {
  /// Shows a text, now and after each change of what the closure reads, until the token ends.
  ///
  /// The closure is called again when the text is shown. An observer that showed the text of which it
  /// was told would take back what the user has typed meanwhile. The user's own edits go the other way:
  /// `field.onChange { form.name = $0 }`.
  func show(_ text: @escaping @MainActor () -> String) -> CancellationToken {
    show(text())
    return Following {
      for await _ in Observations({ text() }) { self.show(text()) }
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
