/// The last states and events in words, of a bounded size.
struct CrashReport {
  /// In kilobytes.
  static let limit = 4096
  /// In bytes.
  static let line = 512

  static func line(_ event: RecordedEvent) -> String {
    let text = "\(event)"
    if text.utf8.count < line { return text }
    return String(decoding: text.utf8.prefix(line - 8), as: UTF8.self)
  }

  let states: [String]
  let events: [String]

  /// As many events as fit, the newest ones, behind as many states as fit into half of it.
  func text(kilobytes: Int) -> String {
    var room = kilobytes * 1024 - 200
    let shown = Self.take(states.sorted(), atMost: room / 2, &room)
    let last = Self.take(events.reversed(), atMost: room, &room).reversed()
    return "\(states.count) states\(Self.of(shown.count, states.count))\n"
      + shown.map { "  \($0)\n" }.joined()
      + "the last \(last.count) events\n" + last.map { "  \($0)\n" }.joined()
  }

  private static func of(_ shown: Int, _ count: Int) -> String {
    shown < count ? ", of which there is room for \(shown)" : ""
  }

  private static func take(
    _ lines: some Sequence<String>, atMost limit: Int, _ room: inout Int
  ) -> [String] {
    var (taken, used): ([String], Int) = ([], 0)
    for line in lines {
      guard used + line.utf8.count + 3 <= limit else { break }
      used += line.utf8.count + 3
      taken.append(line)
    }
    room -= used
    return taken
  }
}
