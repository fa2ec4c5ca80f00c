import AsyncChannels

extension Recording: CustomStringConvertible {
  /// The flow as text of at most 100 columns: a lane for each channel, time running down, a line for each
  /// event, and lines from causes to effects.
  ///
  /// An element has a number if it caused something, or if its own cause is unknown.
  ///
  /// - Parameters:
  ///   - times: Whether it shows milliseconds since the recording began, in the order of time, and also which
  ///     subscriptions began, left or were cancelled. Without times, the text is the same in each run of a
  ///     program whose tasks do the same: each channel, subscription and task keeps its order, every effect
  ///     comes after its cause, and the order of concurrent events does not depend on which was faster.
  ///   - ascii: Whether to use ASCII only.
  ///   - legend: Whether a line below the text explains the marks that occur in it.
  public func text(times: Bool = false, ascii: Bool = false, legend: Bool = true) -> String {
    let flow = times ? flow : flow.canonical
    return FlowText(flow, showsTimes: times, isASCII: ascii, hasLegend: legend).text
  }

  /// An overview: a line for each channel, with what was sent to it, in the order of
  /// ``text(times:ascii:legend:)`` without times.
  ///
  /// - Parameters:
  ///   - ascii: Whether to use ASCII only.
  ///   - legend: Whether a line below the text explains the marks that occur in it.
  public func marbles(ascii: Bool = false, legend: Bool = true) -> String {
    FlowMarbles(flow.canonical, isASCII: ascii, hasLegend: legend).text
  }

  /// The flow as text, without times.
  public var description: String { text() }
}
