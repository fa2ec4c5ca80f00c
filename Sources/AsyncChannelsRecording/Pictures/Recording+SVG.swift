import AsyncChannels

extension Recording {
  /// The flow as a picture for a browser or a page: a column for each channel, time running down, a row
  /// for each event, and an arrow from each cause to what it caused.
  ///
  /// It is one file, without scripts or fonts of its own. It follows the reader's choice of light or dark,
  /// shows whole values on hover, and describes itself in words to readers who cannot see it. Arrows run
  /// beside the lanes and along rows, so they cross no label. It draws the newest 2,000 events, and says how
  /// many it left out.
  public func svg() -> String {
    SVGPicture(flow.keeping(newest: 2_000)).text
  }
}

/// Lanes side by side, rows below each other, and all words at the right, one row each.
private struct SVGPicture {
  private let flow: Flow
  private let words: FlowWords
  private let lanes: [Int]
  private let rows: [Int: Int]

  private let rowHeight = 20
  private let laneWidth = 26
  /// Where the first lane is, behind the times.
  private let left: Int
  /// Of a label, so that the picture can be read on a phone.
  private let longest = 56
  private let colours = 8

  init(_ flow: Flow) {
    self.flow = flow
    words = FlowWords(flow, showsTimes: true)
    lanes = flow.activeLanes
    left = 20 + 8 * max(5, flow.events.map(\.time.milliseconds.count).max() ?? 0)
    rows = Dictionary(uniqueKeysWithValues: flow.events.enumerated().map { ($1.id, $0) })
  }

  var text: String {
    let width = labelX + labelWidth
    let height = y(flow.events.count + legend.count) + rowHeight
    return """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" \
      viewBox="0 0 \(width) \(height)" role="img" aria-labelledby="flow-title flow-words">
      <title id="flow-title">\(title.xml)</title>
      <desc id="flow-words">\(flow.inWords.xml)</desc>
      <style>\(style)</style>
      <rect class="page" width="\(width)" height="\(height)"/>
      \((names + leftOut + laneLines + flow.events.flatMap(arrows) + flow.events.map(row) + legendRows).joined(separator: "\n"))
      </svg>

      """
  }

  private var title: String {
    let shown = Set(lanes.map { flow.lanes[$0].owner })
    let named = flow.owners.filter { !$0.isEmpty && shown.contains($0) }
    return "The flow of \(named.isEmpty ? "a recording" : named.joined(separator: ", "))"
  }

  // MARK: places

  private func x(_ lane: Int) -> Int { left + (lanes.firstIndex(of: lane) ?? 0) * laneWidth }

  /// Above the rows, each lane has a line for its name.
  private func y(_ row: Int) -> Int { 16 + (lanes.count + 1) * rowHeight + row * rowHeight }

  private var labelX: Int { left + lanes.count * laneWidth + 4 }

  // MARK: parts

  /// Each name has a line of its own, and lies above the lanes to its right, which begin below it.
  private var names: [String] {
    lanes.enumerated().map { place, lane in
      """
      <text class="name" x="\(x(lane) - 4)" y="\(16 + place * rowHeight)">\
      \(flow.title(of: lane).clipped(to: 60, ellipsis: "…").xml)</text>
      """
    }
  }

  /// In the row between the names and the events.
  private var leftOut: [String] {
    flow.leftOutWords.map {
      ["<text class=\"c label\" x=\"\(labelX)\" y=\"\(y(-1) + 4)\">\($0)</text>"]
    } ?? []
  }

  private var laneLines: [String] {
    lanes.enumerated().map { place, lane in
      let end = flow.events.last { $0.lane == lane && $0.kind == .finished }.flatMap { rows[$0.id] }
      return """
        <path class="lane" d="M\(x(lane)) \(22 + place * rowHeight)\
        V\(end.map(y) ?? y(flow.events.count))"/>
        """
    }
  }

  private func row(_ event: Flow.Event) -> String {
    let row = rows[event.id] ?? 0
    let sentence = words.sentence(event)
    let subject = event.kind == .sent ? event.cause ?? event.id : event.element
    let label = label(event, sentence).clipped(to: longest, ellipsis: "…")
    return """
      <g class="\(colour(subject)) \(event.kind)">\
      <title>\((flow.title(of: event.lane) + ": " + sentence).xml)</title>\
      <text class="time" x="\(left - 16)" y="\(y(row) + 4)">\(event.time.milliseconds)</text>\
      \(mark(event.kind, x(event.lane), y(row)))\
      <text class="label" x="\(labelX)" y="\(y(row) + 4)">\(label.xml)</text></g>
      """
  }

  private func label(_ event: Flow.Event, _ sentence: String) -> String {
    "\(flow.lanes[event.lane].name.printable): \(sentence)"
  }

  /// As wide as the longest of its labels, and of the names above.
  private var labelWidth: Int {
    let labels = flow.events.map { min(longest, label($0, words.sentence($0)).columns) }
    let names = lanes.map { min(60, flow.title(of: $0).columns) }
    return 8 * max(labels.max() ?? 0, names.max() ?? 0, 24)
  }

  private var legend: [(mark: FlowLegend.Mark, words: String)] { FlowLegend(flow).entries }

  private var legendRows: [String] {
    legend.enumerated().map { place, entry in
      let y = y(flow.events.count + place) + 8
      let mark =
        switch entry.mark {
        case .event(let kind): mark(kind, left, y)
        case .cause:
          "<path class=\"line\" d=\"M\(left - 7) \(y)h10\"/>" + head(left + 7, y, leftward: false)
        case .inlet: "<circle class=\"open\" cx=\"\(left)\" cy=\"\(y)\" r=\"4\"/>"
        }
      return """
        <g class="c">\(mark)\
        <text class="label" x="\(left + 16)" y="\(y + 4)">\(entry.words.xml)</text></g>
        """
    }
  }

  /// The same shapes as in a text.
  private func mark(_ kind: Flow.Kind, _ x: Int, _ y: Int) -> String {
    switch kind {
    case .sent: "<circle class=\"fill\" cx=\"\(x)\" cy=\"\(y)\" r=\"5\"/>"
    case .taken: "<path class=\"fill\" d=\"M\(x) \(y - 6)l6 6l-6 6l-6 -6z\"/>"
    case .dropped: "<path class=\"line\" d=\"M\(x - 4) \(y - 4)l8 8m0 -8l-8 8\"/>"
    case .superseded, .ignored, .abandoned, .refused:
      "<circle class=\"open\" cx=\"\(x)\" cy=\"\(y)\" r=\"5\"/>"
        + "<path class=\"line\" d=\"M\(x - 4) \(y + 4)l8 -8\"/>"
    case .finished:
      "<rect class=\"fill\" x=\"\(x - 5)\" y=\"\(y - 5)\" width=\"10\" height=\"10\"/>"
    case .subscribed: "<path class=\"line\" d=\"M\(x - 6) \(y - 4)h12m-6 0v9\"/>"
    case .left, .cancelled, .displaced: "<path class=\"line\" d=\"M\(x - 6) \(y + 4)h12m-6 0v-9\"/>"
    }
  }

  /// From the cause down beside its lane, and then along the row of the effect; and through the inlets
  /// by which it came.
  private func arrows(_ effect: Flow.Event) -> [String] {
    guard effect.kind == .sent else { return [] }
    let row = y(rows[effect.id] ?? 0)
    let end = x(effect.lane)
    var arrows = effect.inlets.map(x).filter { $0 != end }.map { start in
      let tip = end + (start < end ? -7 : 7)
      return """
        <g class="\(colour(effect.id))"><circle class="open" cx="\(start)" cy="\(row)" r="4"/>\
        <path class="line" d="M\(start + (start < end ? 4 : -4)) \(row)H\(tip)"/>\
        \(head(tip, row, leftward: start > end))</g>
        """
    }
    guard let cause = effect.cause.flatMap({ words.sent[$0] }), let from = rows[cause.id] else {
      return arrows
    }
    let start = x(cause.lane)
    // Causes that lie side by side have each a line of their own.
    let side = start + 4 + (words.numbers[cause.id] ?? 0) % 5 * 2
    let leftward = side > end
    let tip = end + (leftward ? 7 : -7)
    let line = "M\(start) \(y(from))H\(side)V\(row)H\(tip)"
    arrows.append(
      """
      <g class="\(colour(cause.id))"><path class="line" d="\(line)"/>\
      \(head(tip, row, leftward: leftward))</g>
      """)
    return arrows
  }

  private func head(_ x: Int, _ y: Int, leftward: Bool) -> String {
    "<path class=\"fill\" d=\"M\(x) \(y)l\(leftward ? 5 : -5) -3v6z\"/>"
  }

  private func colour(_ element: Int?) -> String {
    guard let number = element.flatMap({ words.numbers[$0] }) else { return "c" }
    return "c c\(number % colours)"
  }

  /// Colours of equal lightness, which can be told apart with any sight only together with the numbers.
  private var style: String {
    let light = ["0b62c4", "b3261e", "1a7431", "8a4b00", "7b2cbf", "00696f", "a3195b", "4d5b00"]
    let dark = ["78b7ff", "ff9d94", "7ddb92", "f2b55f", "d3a6ff", "5fd6dd", "ff94c2", "c9d65b"]
    func rules(_ colours: [String]) -> String {
      colours.enumerated().map { ".c\($0){--c:#\($1)}" }.joined()
    }
    return """
      .c{--c:var(--ink)}svg{--page:#fff;--ink:#3c4043;--lane:#d0d4d9}\(rules(light))\
      @media(prefers-color-scheme:dark){svg{--page:#16181b;--ink:#c8ccd1;--lane:#3a3f46}\(rules(dark))}\
      .page{fill:var(--page)}.lane{stroke:var(--lane);stroke-width:2;fill:none}\
      text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;\
      fill:var(--ink)}.name{font-weight:bold}.time{text-anchor:end;opacity:.7}\
      .label{fill:var(--c)}.fill{fill:var(--c)}.open{fill:var(--page);stroke:var(--c);stroke-width:2}\
      .line{stroke:var(--c);stroke-width:1.5;fill:none}.taken .label,.left .label,.subscribed .label\
      {opacity:.75}g:hover>.label{text-decoration:underline}
      """
  }
}

extension String {
  fileprivate var xml: String {
    var text = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "&": text += "&amp;"
      case "\"": text += "&quot;"
      // What XML has no way to write.
      case _ where scalar.value < 0x20 && scalar != "\n", "\u{FFFE}", "\u{FFFF}": text += "\u{FFFD}"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
