import AsyncChannels

extension Recording {
  /// The flow as a Mermaid sequence diagram, which GitHub and many editors draw.
  ///
  /// It has no times, and is the same in each run in which `text()` is the same. An element without a cause
  /// comes from `outside`.
  ///
  /// It draws the newest 300 events, since Mermaid limits the size of a diagram, and says how many it left
  /// out.
  public func mermaid() -> String {
    let flow = flow.canonical.keeping(newest: 300)
    let words = FlowWords(flow, showsTimes: false)
    var lines = ["sequenceDiagram"]
    let lanes = flow.activeLanes
    if flow.events.contains(where: { $0.kind == .sent && $0.cause == nil }) {
      lines.append("  participant outside")
    }
    for lane in lanes { lines.append("  participant L\(lane) as \(flow.title(of: lane).mermaid)") }
    if let leftOut = flow.leftOutWords {
      lines.append("  Note over L\(lanes.first ?? 0): \(leftOut)")
    }
    for event in flow.events {
      let lane = "L\(event.lane)"
      let sentence = words.sentence(event).clipped(to: 80, ellipsis: "…").mermaid
      switch event.kind {
      case .sent:
        let cause = event.cause.flatMap { words.sent[$0]?.lane }
        let way = [cause.map { "L\($0)" } ?? "outside"] + event.inlets.map { "L\($0)" } + [lane]
        for (from, to) in zip(way, way.dropFirst()) {
          lines.append("  \(from)->>\(to): \(sentence)")
        }
      case .dropped: lines.append("  \(lane)--x\(lane): \(sentence)")
      default: lines.append("  Note over \(lane): \(sentence)")
      }
    }
    if let legend = legend(flow) { lines.append(legend) }
    return lines.map { $0 + "\n" }.joined()
  }

  private func legend(_ flow: Flow) -> String? {
    guard let first = flow.activeLanes.first, let last = flow.activeLanes.last else { return nil }
    let marks = FlowLegend(flow).entries.compactMap { entry -> String? in
      switch entry.mark {
      case .event(.sent): "arrow: sent"
      case .event(.dropped): "cross: dropped"
      case .cause: "an arrow comes from what caused it"
      case .event, .inlet: nil
      }
    }
    return
      "  Note over L\(first)\(first == last ? "" : ",L\(last)"): \(marks.joined(separator: ", "))"
  }
}

extension String {
  /// What Mermaid would read as its own is written by its number.
  fileprivate var mermaid: String {
    map { character in
      switch character {
      case "#", ";", "<", ">", "%", "\"": "#\(character.unicodeScalars.first!.value);"
      default: String(character)
      }
    }.joined()
  }
}
