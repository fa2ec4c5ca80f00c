package import AsyncChannelsTesting

extension TestClock {
  /// Sleeps for this long even if the task is cancelled: for work that does not react to that.
  package func sleepThrough(_ duration: Duration) async {
    await Task { try? await sleep(for: duration) }.value
  }
}
