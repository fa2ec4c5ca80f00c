import AsyncChannels

// The last events and states, for a crash report.
extension Recording {
  /// The values of the states and the newest events as text, without secrets.
  ///
  /// Do not call it in a signal handler: it takes locks. ``keepCrashReport(in:kilobytes:)`` is for programs that crash.
  ///
  /// - Parameter kilobytes: The largest size. Traps if it is not between 1 and 4,096.
  public func crashReport(kilobytes: Int = 32) -> String {
    Self.check(kilobytes)
    let flow = flow
    let lanes = flow.lanes
    return CrashReport(
      states: lanes.filter { $0.kind == .state }.compactMap { lane in
        lane.value.map { "\(lane.title)  \($0.printable)" }
      },
      events: flow.events.map {
        CrashReport.line(RecordedEvent($0, $0.text, in: lanes[$0.lane]))
      }
    ).text(kilobytes: kilobytes)
  }

  /// Also writes each event into a file from now on, so that it is there after a crash.
  ///
  /// ```swift
  /// let recording = Recording.ofProgram()
  /// let former = try recording.keepCrashReport(in: path)   // of the run before
  /// ```
  ///
  /// The file is mapped into memory. When the program traps, is killed or is ended by the system, the file has all events
  /// up to that moment, except for one that was just being written; no signal handler is needed. After a crash of the
  /// whole machine, the newest events may be missing. The file is readable by its owner only.
  ///
  /// Each event costs some microseconds more, with the channel's lock held.
  ///
  /// - Parameters:
  ///   - path: The file, which is overwritten.
  ///   - kilobytes: The size of the file: half of it is for the newest events, half for the newest value of each state, in
  ///     256 bytes. Traps if it is not between 4 and 4,096.
  /// - Returns: What ``crashReport(in:)`` gives of that file before it is overwritten.
  /// - Throws: If the file cannot be written.
  @discardableResult
  public func keepCrashReport(
    in path: String, kilobytes: Int = 64
  ) throws(CrashReportFailure) -> String? {
    Self.check(kilobytes, atLeast: 4)
    let former = Self.crashReport(in: path)
    guard let file = CrashFile(path, kilobytes: kilobytes) else {
      throw CrashReportFailure(path: path)
    }
    store.withState { state in
      state.crashFile = file
      for (number, lane) in state.lanes.enumerated() { file.write(lane.known, in: number) }
    }
    return former
  }

  /// The text of a file that ``keepCrashReport(in:kilobytes:)`` has written, also in another run of the program; nil if
  /// there is none.
  public static func crashReport(in path: String) -> String? {
    CrashFile.read(path).map {
      CrashReport(states: $0.states, events: $0.events).text(kilobytes: CrashReport.limit)
    }
  }

  private static func check(_ kilobytes: Int, atLeast minimum: Int = 1) {
    guard !(minimum...CrashReport.limit).contains(kilobytes) else { return }
    Misuse.trap(
      "A crash report cannot have \(kilobytes) kilobytes: it has \(minimum) to \(CrashReport.limit)."
    )
  }
}

/// A file for a crash report that cannot be written.
public struct CrashReportFailure: Error, CustomStringConvertible {
  /// Where it was to be.
  public let path: String

  /// The failure in a sentence.
  public var description: String { "The crash report \(path) cannot be written." }
}
