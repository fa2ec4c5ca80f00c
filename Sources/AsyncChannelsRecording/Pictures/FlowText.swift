import AsyncChannels

/// A flow as text: a column for each lane, time running down, a line for each event.
struct FlowText {
  private let flow: Flow
  private let showsTimes: Bool
  private let isASCII: Bool
  private let hasLegend: Bool
  private let words: FlowWords
  private let columns: LaneColumns
  private let glyphs: Glyphs

  private static let width = 100

  init(_ flow: Flow, showsTimes: Bool, isASCII: Bool = false, hasLegend: Bool = true) {
    var flow = flow
    flow.lanes = flow.lanes.map { lane in
      Flow.Lane(
        name: lane.name.printable.asASCII(isASCII), owner: lane.owner.printable.asASCII(isASCII),
        kind: lane.kind)
    }
    self.flow = flow
    self.showsTimes = showsTimes
    self.isASCII = isASCII
    self.hasLegend = hasLegend
    words = FlowWords(flow, showsTimes: showsTimes)
    glyphs = isASCII ? .ascii : .unicode
    columns = LaneColumns(flow, bar: glyphs.bar)
  }

  var text: String {
    let warnings = flow.warnings(ascii: isASCII)
    guard !flow.events.isEmpty else { return warnings + "Nothing was recorded.\n" }
    let times = showsTimes ? flow.events.map(\.time.milliseconds) : []
    let margin = times.isEmpty ? 0 : max(2, times.map(\.count).max() ?? 0)
    var lines = columns.header.enumerated().map { index, line in
      let isLast = index == columns.header.count - 1
      return front(isLast && margin > 0 ? "ms" : "", margin) + line
    }
    if let leftOut = flow.leftOutWords {
      lines.append(front("", margin) + "\(glyphs.ellipsis) \(leftOut)")
    }
    var ended: Set<Int> = []
    for (index, event) in flow.events.enumerated() {
      lines.append(front(margin == 0 ? "" : times[index], margin) + line(event, ended, margin))
      if event.kind == .finished { ended.insert(event.lane) }
    }
    return warnings
      + lines.map { $0.trimmedAtEnd.clipped(to: Self.width, ellipsis: glyphs.ellipsis) + "\n" }
      .joined() + (hasLegend ? "\n" + FlowLegend(flow).text(glyphs, width: Self.width) : "")
  }

  private func front(_ time: String, _ margin: Int) -> String {
    margin == 0
      ? "" : String(repeating: " ", count: margin + 1 - time.count) + time + "  "
  }

  private func line(_ event: Flow.Event, _ ended: Set<Int>, _ margin: Int) -> String {
    var cells = columns.bars(without: ended)
    let column = columns.column(of: event.lane)
    var marks = [column: glyphs.mark(event.kind)]
    for inlet in event.inlets where columns.column(of: inlet) != column {
      marks[columns.column(of: inlet)] = glyphs.inlet
    }
    if let cause = event.cause.flatMap({ words.sent[$0]?.lane }).map(columns.column),
      marks[cause] == nil
    {
      marks[cause] = cause < column ? glyphs.branch : glyphs.branchBack
    }
    if let first = marks.keys.min(), let last = marks.keys.max() {
      for index in first...last { cells[index] = glyphs.line }
    }
    for (column, mark) in marks { cells[column] = mark }
    let name = columns.isFolded(event.lane) ? "\(flow.lanes[event.lane].name): " : ""
    return String(cells) + "  " + name + words.sentence(event).asASCII(isASCII)
  }
}

extension Flow {
  /// What a reader would miss without knowing it.
  func warnings(ascii isASCII: Bool) -> String {
    let ellipsis = (isASCII ? Glyphs.ascii : .unicode).ellipsis
    return empties.map {
      """
      No channel was found in \($0.printable.asASCII(isASCII).clipped(to: 75, ellipsis: ellipsis)).
      If it was built without reflection metadata, name each: recording.add(channel, as: "name").

      """
    }.joined()
      + cuts.map { $0.printable.asASCII(isASCII).clipped(to: 100, ellipsis: ellipsis) + "\n" }
      .joined()
  }
}

/// What the lines of a text are drawn with.
struct Glyphs {
  let bar, line, inlet, branch, branchBack: Character
  let ellipsis: String
  private let marks: [Flow.Kind: Character]

  func mark(_ kind: Flow.Kind) -> Character { marks[kind] ?? "?" }

  func mark(_ mark: FlowLegend.Mark) -> Character {
    switch mark {
    case .event(let kind): self.mark(kind)
    case .cause: branch
    case .inlet: inlet
    }
  }

  static let unicode = Glyphs(
    bar: "│", line: "─", inlet: "○", branch: "├", branchBack: "┤", ellipsis: "…",
    marks: [
      .sent: "●", .taken: "◆", .dropped: "✕", .finished: "■", .superseded: "⊘", .ignored: "⊘",
      .abandoned: "⊘", .refused: "⊘", .subscribed: "┬", .left: "┴", .cancelled: "┴",
      .displaced: "┴",
    ])
  static let ascii = Glyphs(
    bar: "|", line: "-", inlet: "o", branch: "+", branchBack: "+", ellipsis: "...",
    marks: [
      .sent: "*", .taken: "v", .dropped: "x", .finished: "=", .superseded: "/", .ignored: "/",
      .abandoned: "/", .refused: "/", .subscribed: "(", .left: ")", .cancelled: ")",
      .displaced: ")",
    ])
}

extension String {
  fileprivate var trimmedAtEnd: String {
    var rest = self[...]
    while rest.last == " " { rest.removeLast() }
    return String(rest)
  }

  /// Everything that is not ASCII written out, if that is wanted.
  func asASCII(_ isWanted: Bool) -> String {
    guard isWanted else { return self }
    return unicodeScalars.map { scalar in
      switch scalar {
      case "…": "..."
      case "←": "<-"
      default: scalar.isASCII ? String(scalar) : scalar.escaped(asASCII: true)
      }
    }.joined()
  }
}
