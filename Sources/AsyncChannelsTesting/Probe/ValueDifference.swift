import AsyncChannelsRecording

/// What differs between two values of one type, part by part, as `Mirror` shows them. Parts that are named like
/// secrets are not shown.
struct ValueDifference {
  private static let mostLines = 40
  private var lines: [String] = []
  private var equalParts = 0

  /// Nil if a line for each part would say no more than the values themselves: they have fewer than two parts.
  init?(expected: Any, came: Any) {
    let mirror = Mirror(reflecting: expected)
    guard Self.hasNamedParts(mirror), mirror.children.count > 1,
      Describer().showsParts(of: expected, under: [])
    else { return nil }
    compare(expected, came, under: [], indent: "")
    // Equal part by part, it differs in what is not shown.
    if lines.isEmpty { return nil }
  }

  /// Lines with "−" are expected, and those with "+" came.
  var text: String {
    var all = lines.prefix(Self.mostLines).map { "  " + $0 }
    if lines.count > Self.mostLines { all.append("  … \(lines.count - Self.mostLines) more lines") }
    if equalParts > 0 {
      all.append("  (\(equalParts) \(equalParts == 1 ? "part is" : "parts are") as expected.)")
    }
    return all.joined(separator: "\n")
  }

  private static func hasNamedParts(_ mirror: Mirror) -> Bool {
    mirror.displayStyle == .struct || mirror.displayStyle == .collection
  }

  /// - Parameter names: Of the part, from the outermost.
  private mutating func compare(_ expected: Any, _ came: Any, under names: [String], indent: String)
  {
    if let isEqual = (expected as? any Equatable)?.isEqual(to: came), isEqual {
      equalParts += 1
      return
    }
    let (old, new) = (Mirror(reflecting: expected), Mirror(reflecting: came))
    guard type(of: expected) == type(of: came), Self.hasNamedParts(old), names.count < 6,
      Describer().showsParts(of: expected, under: names)
    else { return differ(expected, came, under: names, indent: indent) }
    var inner = indent
    if let name = names.last {
      lines.append("\(indent)  \(name):")
      inner += "  "
    }
    if old.displayStyle == .collection {
      compareElements(Array(old.children), Array(new.children), names, inner)
    } else {
      for (one, other) in zip(old.children, new.children) {
        compare(one.value, other.value, under: names + [one.label ?? "_"], indent: inner)
      }
    }
  }

  /// Those at the common beginning and end are equal; the others are shown.
  private mutating func compareElements(
    _ expected: [Mirror.Child], _ came: [Mirror.Child], _ names: [String], _ indent: String
  ) {
    func isEqual(_ one: Mirror.Child, _ other: Mirror.Child) -> Bool {
      (one.value as? any Equatable)?.isEqual(to: other.value) ?? false
    }
    let shorter = min(expected.count, came.count)
    let head = zip(expected, came).prefix { isEqual($0, $1) }.count
    let tail = zip(expected.reversed(), came.reversed()).prefix { isEqual($0, $1) }
      .prefix(shorter - head).count
    equalParts += head + tail
    let (gone, new) = (head..<(expected.count - tail), head..<(came.count - tail))
    for index in gone.prefix(gone.count) where index < new.upperBound {
      compare(
        expected[index].value, came[index].value, under: names + ["[\(index)]"], indent: indent)
    }
    for index in gone.dropFirst(new.count) {
      show("−", expected[index].value, under: names + ["[\(index)]"], indent: indent)
    }
    for index in new.dropFirst(gone.count) {
      show("+", came[index].value, under: names + ["[\(index)]"], indent: indent)
    }
  }

  private mutating func differ(
    _ expected: Any, _ came: Any, under names: [String], indent: String
  ) {
    show("−", expected, under: names, indent: indent)
    show("+", came, under: names, indent: indent)
  }

  private mutating func show(_ mark: String, _ value: Any, under names: [String], indent: String) {
    let words = Describer().describe(value, under: names)
    lines.append("\(indent)\(mark) \(names.last.map { "\($0): " } ?? "")\(words)")
  }
}

extension Equatable {
  fileprivate func isEqual(to other: Any) -> Bool {
    (other as? Self).map { $0 == self } ?? false
  }
}
