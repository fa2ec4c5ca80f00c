/// What the marks in a picture mean: of those that occur in it, in the same words in every form.
package struct FlowLegend {
  package enum Mark: Sendable {
    case event(Flow.Kind), cause, inlet
  }

  package let entries: [(mark: Mark, words: String)]

  /// - Parameter kinds: The kinds of events that the form shows; all if nil.
  package init(_ flow: Flow, showing kinds: Set<Flow.Kind>? = nil, isMarbles: Bool = false) {
    let events = flow.events.filter { kinds?.contains($0.kind) ?? true }
    let there = Set(events.map(\.kind))
    let sent = flow.sentByID
    var entries = Self.groups.compactMap { group -> (mark: Mark, words: String)? in
      let kinds = group.filter(there.contains)
      guard let first = kinds.first else { return nil }
      return (.event(first), Self.list(kinds.map { "\($0)" }))
    }
    if isMarbles { entries.removeAll { if case .event(.sent) = $0.mark { true } else { false } } }
    if !isMarbles, events.contains(where: { $0.cause.map { sent[$0] != nil } ?? false }) {
      entries.append((.cause, "caused"))
    }
    if events.contains(where: { !$0.inlets.isEmpty }) {
      entries.append((.inlet, "through an inlet"))
    }
    self.entries = entries
  }

  /// Kinds that have the same mark.
  private static let groups: [[Flow.Kind]] = [
    [.sent], [.taken], [.dropped], [.superseded, .ignored, .abandoned, .refused], [.finished],
    [.subscribed], [.left, .cancelled, .displaced],
  ]

  private static func list(_ words: [String]) -> String {
    guard let last = words.last, words.count > 1 else { return words.first ?? "" }
    return words.dropLast().joined(separator: ", ") + " or " + last
  }

  /// As lines of at most so many columns, nearly always one.
  func text(_ glyphs: Glyphs, width: Int) -> String {
    var lines: [String] = []
    for (mark, words) in entries {
      let entry = "\(glyphs.mark(mark)) \(words)"
      if let last = lines.last, last.columns + 2 + entry.columns <= width {
        lines[lines.count - 1] = "\(last)  \(entry)"
      } else {
        lines.append(entry)
      }
    }
    return lines.map { $0 + "\n" }.joined()
  }
}
