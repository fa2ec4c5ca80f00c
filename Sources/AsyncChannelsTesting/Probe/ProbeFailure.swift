import AsyncChannels
import AsyncChannelsRecording

/// The error that a ``Probe`` throws. Its message tells the place of the expectation, what was expected, what
/// arrived instead, and how long the probe waited.
public struct ProbeFailure: Error, CustomStringConvertible {
  /// The message: "ProfileTests.swift:12: Expected 3, but nothing came within 5.0 s."
  public let description: String

  /// - Parameter flow: What a recording of the channel has recorded.
  init(_ sentence: String, at place: SourceLocation, flow: String?) {
    description = "\(place): \(sentence)" + (flow.map { "\n\($0)" } ?? "")
  }
}
