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
  public func text(times: Bool = false, ascii: Bool = false) -> String {
    FlowText(times ? flow : flow.canonical, showsTimes: times, isASCII: ascii).text
  }

  /// An overview: a line for each channel, with what was sent to it, in the order of
  /// ``text(times:ascii:)`` without times.
  public func marbles(ascii: Bool = false) -> String {
    FlowMarbles(flow.canonical, isASCII: ascii).text
  }

  /// The flow as text, without times.
  public var description: String { text() }
}
