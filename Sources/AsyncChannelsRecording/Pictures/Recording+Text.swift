import AsyncChannels

extension Recording: CustomStringConvertible {
  /// The flow as text of at most 100 columns: a column for each channel, time running down, a line for
  /// each event, the causes drawn as branches.
  ///
  /// Elements that have no cause, or are one, have numbers.
  ///
  /// - Parameters:
  ///   - times: Whether it shows milliseconds since the recording began, in the order in which things
  ///     happened, and also who subscribed, left, was cancelled. Without times, it is the same text in
  ///     each run of a program whose tasks do the same: each channel, subscription and task keeps its
  ///     order, everything comes after its cause, and what ran simultaneously is put in an order that
  ///     does not depend on who was faster.
  ///   - ascii: Whether to use ASCII only.
  ///   - legend: Whether a line below it says what the marks mean that occur in it.
  public func text(times: Bool = false, ascii: Bool = false, legend: Bool = true) -> String {
    let flow = times ? flow : flow.canonical
    return FlowText(flow, showsTimes: times, isASCII: ascii, hasLegend: legend).text
  }

  /// An overview: a line for each channel, with what was sent to it, in the order of
  /// ``text(times:ascii:legend:)`` without times.
  ///
  /// - Parameters:
  ///   - ascii: Whether to use ASCII only.
  ///   - legend: Whether a line below it says what the marks mean that occur in it.
  public func marbles(ascii: Bool = false, legend: Bool = true) -> String {
    FlowMarbles(flow.canonical, isASCII: ascii, hasLegend: legend).text
  }

  /// The flow as text, without times.
  public var description: String { text() }
}
