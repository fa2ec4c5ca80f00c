import AsyncChannels

extension StateOutlet {
  /// Calls a closure with the value now and with the newest one 60 times a second at most: for state
  /// that is written more often than a screen shows it. What comes in between is passed over.
  func observeNewest(_ body: @escaping @MainActor (Value) -> Void) -> CancellationToken {
    observe(buffering: .bufferingNewest(1)) { @MainActor value in
      body(value)
      try? await Task.sleep(for: .milliseconds(16))
    }
  }
}
