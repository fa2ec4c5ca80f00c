import AsyncChannels

extension BroadcastLogBase {
  /// What was recorded of it so far, for a report of a failure; nil if there is no recording.
  final var flow: String? { observers.lazy.compactMap(\.report).first }
}
