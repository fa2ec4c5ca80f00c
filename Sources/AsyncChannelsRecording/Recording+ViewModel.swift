public import AsyncChannelsRunning

extension Recording {
  /// Records what a view model stores: ``init(of:limit:clock:hiding:showing:describing:isolation:fileID:line:)``
  /// on the main actor. Elsewhere the compiler refuses it, or asks for `await`.
  @MainActor
  public convenience init(
    of viewModel: some ViewModel, limit: Int = 10_000,
    clock: some Clock<Duration> = ContinuousClock(), hiding names: [String] = [],
    showing: Showing = .allButSecrets, describing describe: (@Sendable (Any) -> String?)? = nil,
    fileID: StaticString = #fileID, line: UInt = #line
  ) {
    self.init(
      limit: limit, clock: clock, hiding: names, showing: showing, describing: describe)
    add(viewModel, fileID: fileID, line: line)
  }

  /// Also records another view model, on the main actor.
  @MainActor
  public func add(
    _ viewModel: some ViewModel, as name: String? = nil, fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    add(viewModel, as: name, isolation: MainActor.shared, fileID: fileID, line: line)
  }
}
