import AsyncChannels

/// A flow as marbles: a line for each lane, time running to the right. Where it is too long for one
/// line, all lanes go on below.
struct FlowMarbles {
  private let flow: Flow
  private let isASCII: Bool
  private let hasLegend: Bool
  private let glyphs: Glyphs

  private static let width = 100

  init(_ flow: Flow, isASCII: Bool, hasLegend: Bool) {
    self.flow = flow
    self.hasLegend = hasLegend
    self.isASCII = isASCII
    glyphs = isASCII ? .ascii : .unicode
  }

  var text: String {
    let lanes = flow.activeLanes
    guard !lanes.isEmpty else { return flow.warnings(ascii: isASCII) + "Nothing was recorded.\n" }
    let names = lanes.map { clipped(flow.lanes[$0].name.printable, to: 30) }
    let margin = (names.map(\.columns).max() ?? 0) + 2
    let leftOut = flow.leftOutWords.map { "\(glyphs.ellipsis) \($0)\n" } ?? ""
    let blocks = blocks(width: Self.width - margin - 1).map { block in
      zip(lanes, names).map { lane, name in
        name.padded(to: margin) + block.map { cell(of: lane, $0) }.joined() + line(1) + "\n"
      }.joined()
    }
    return leftOut + blocks.joined(separator: "\n") + legend
  }

  /// Nothing if there are only elements, which are shown as they are.
  private var legend: String {
    guard hasLegend else { return "" }
    let text = FlowLegend(flow, showing: Self.kinds, isMarbles: true).text(
      glyphs, width: Self.width)
    return text.isEmpty ? "" : "\n" + text
  }

  private static let kinds: Set<Flow.Kind> = [.sent, .dropped, .refused, .finished]

  private struct Marble {
    let event: Flow.Event
    let label: String
  }

  /// As many as fit below each other.
  private func blocks(width: Int) -> [[Marble]] {
    let words = FlowWords(flow, showsTimes: false)
    var blocks: [[Marble]] = []
    var room = 0
    for event in flow.events where Self.kinds.contains(event.kind) {
      let marble = Marble(event: event, label: label(event, words))
      if room < marble.label.columns + 1 {
        blocks.append([])
        room = width
      }
      blocks[blocks.count - 1].append(marble)
      room -= marble.label.columns + 1
    }
    return blocks.isEmpty ? [[]] : blocks
  }

  private func label(_ event: Flow.Event, _ words: FlowWords) -> String {
    switch event.kind {
    case .finished: "\(glyphs.mark(.finished))"
    case .dropped, .refused: "\(glyphs.mark(event.kind))" + clipped(words.name(event), to: 10)
    default: words.numbers[event.id].map { "#\($0)" } ?? clipped(event.text.printable, to: 20)
    }
  }

  private func cell(of lane: Int, _ marble: Marble) -> String {
    let width = marble.label.columns
    if marble.event.lane == lane { return line(1) + marble.label }
    if marble.event.inlets.contains(lane) {
      return line(1) + "\(glyphs.inlet)" + line(width - 1)
    }
    return line(width + 1)
  }

  private func clipped(_ text: String, to width: Int) -> String {
    text.asASCII(isASCII).clipped(to: width, ellipsis: glyphs.ellipsis)
  }

  private func line(_ count: Int) -> String {
    String(repeating: glyphs.line, count: count)
  }
}
