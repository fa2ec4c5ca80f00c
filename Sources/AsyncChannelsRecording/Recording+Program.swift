import AsyncChannels

extension Recording {
  /// Records each channel, state and input that is made in the program from now on. Call it once, where the program
  /// begins, and keep the recording:
  ///
  /// ```swift
  /// let recording = Recording.ofProgram()
  /// ```
  ///
  /// - **Names.** A view model's channels get the names of its properties when it first runs in `start()`,
  ///   `withRunning` or `runEach`. ``add(_:as:isolation:fileID:line:)`` names those of other objects. Before that,
  ///   a lane is named by the type of its elements, and texts and numbers in it are shown as `…`, since the name might
  ///   be that of a secret. What has named parts is shown as usual.
  /// - **It keeps nothing alive**, and the memory does not grow: what is known of a channel that is gone is dropped with
  ///   the last of its events.
  /// - **Costs.** Without a recording, a channel that is made and a view model that begins to run pay one relaxed load
  ///   each.
  ///
  /// The parameters are those of ``init(limit:clock:hiding:showing:describing:)``.
  public static func ofProgram(
    limit: Int = 10_000, clock: some Clock<Duration> = ContinuousClock(),
    hiding names: [String] = [], showing: Showing = .allButSecrets,
    describing describe: (@Sendable (Any) -> String?)? = nil
  ) -> Recording {
    let recording = Recording(
      limit: limit, clock: clock, hiding: names, showing: showing, describing: describe)
    CauseTable.shared.programRecordingBegins(recording.store)
    return recording
  }
}
