/// One element on its way into words, and how much of it may still be looked at.
struct Description {
  let rules: Describer
  /// How many values may still be looked at. One that is shown counts twice.
  var nodes = Describer.limit.nodes
  private var room = Describer.limit.characters
  /// Whether what is being described was marked to be shown.
  private var isMarked: Bool

  init(by rules: Describer) {
    self.rules = rules
    isMarked = !rules.showsOnlyMarked
  }

  /// - Parameter outer: The name under which it stands.
  mutating func words(_ value: Any, in outer: String = "", depth: Int = 0) -> String {
    guard nodes > 0, room > 0 else { return "…" }
    nodes -= 2
    let facts = rules.types.facts(of: value)
    if facts.isHidden { return spend("\(facts.name)(…)") }
    if let own = rules.custom?(value) { return spend(own) }
    if facts.secrecy == .ofAll { return spend("\(facts.name)(…)") }
    let wasMarked = isMarked
    isMarked = isMarked || facts.isShown
    defer { isMarked = wasMarked }
    if let plainness = facts.plainness {
      return isMarked ? spend(plain(value, plainness)) : "…"
    }
    guard depth < Describer.limit.depth else { return "…" }
    if facts.isRequest, let request = value as? any DescribedByQuestion {
      return spend(facts.name) + payload(request.describedQuestion, facts.name, depth)
    }
    return parts(value, Mirror(reflecting: value), facts, outer, depth)
  }

  private mutating func spend(_ text: String) -> String {
    let text = Describer.clip(text)
    room -= text.utf8.count
    return text
  }

  private func plain(_ value: Any, _ plainness: TypeFacts.Plainness) -> String {
    switch plainness {
    case .text:
      let text = (value as? String) ?? "\(value)"
      return rules.isKnownSecret(text) ? "…" : scrubbed(text).debugDescription
    case .integer:
      let text = "\(value)"
      let isSecret =
        rules.isKnownSecret(text)
        || text.utf8.count > 12 && SecretNumber.isCard(Array(text.utf8))
      return isSecret ? "…" : text
    case .other:
      let text = "\(value)"
      return !(value is Bool) && rules.isKnownSecret(text) ? "…" : text
    }
  }

  /// The beginning of a text, without what looks like a secret. What is cut off is far behind what is shown.
  private func scrubbed(_ text: String) -> String {
    let beginning = text.utf8.count > 800 ? String(text.prefix(400)) : text
    let scrubbed = SecretText.scrub(beginning, rules.names)
    return scrubbed.utf8.count > 800
      ? String(scrubbed.prefix(Describer.limit.characters)) : scrubbed
  }

  private mutating func parts(
    _ value: Any, _ mirror: Mirror, _ facts: TypeFacts, _ outer: String, _ depth: Int
  ) -> String {
    switch mirror.displayStyle {
    case .optional:
      guard let child = mirror.children.first else { return isMarked ? "nil" : "…" }
      // What a custom mirror calls optional may have another label.
      return child.label == "some"
        ? words(child.value, in: outer, depth: depth) : field(child, outer, depth)
    case .collection: return list(mirror.children, outer, depth)
    case .set: return sortedList(mirror.children) { $0.field($1, outer, depth) }
    case .dictionary: return dictionary(mirror.children, outer, depth)
    case .tuple: return fields(mirror.children, outer, depth)
    default: return ownWords(value, mirror, facts, depth)
    }
  }

  /// The value's own description, if it has one and no secret is in the value; else its fields.
  private mutating func ownWords(
    _ value: Any, _ mirror: Mirror, _ facts: TypeFacts, _ depth: Int
  ) -> String {
    let typeOnly = "\(facts.name)(…)"
    let children = parts(of: mirror, facts)
    if isNameless(value, mirror.displayStyle, children, facts) || isTagged(mirror, facts) {
      return spend(typeOnly)
    }
    if !isMarked, facts.plainness == nil, !facts.isObject { return spend(typeOnly) }
    if !facts.isObject, facts.describesItself {
      let isCarrier = facts.secrecy == .ofText && !facts.reflectsItself
      if isCarrier || hasSecret(mirror, in: facts.name) { return spend(typeOnly) }
      return spend(scrubbed("\(value)"))
    }
    switch mirror.displayStyle {
    case .class: return spend(facts.name)
    case .enum:
      guard let payload = children.first else { return spend("\(value)") }
      let name = payload.label ?? facts.name
      if rules.hides(payload.value, under: name) { return spend(name + "(…)") }
      return spend(name) + self.payload(payload.value, name, depth)
    case .struct:
      return spend(facts.name)
        + (children.isEmpty ? "()" : fields(children, facts.name, depth))
    default:
      // A custom mirror with no style of its own; or a function, or a type.
      if !children.isEmpty {
        return spend(facts.name) + fields(children, facts.name, depth)
      }
      return spend(facts.isObject ? facts.name : "\(value)")
    }
  }

  /// The parts of a value that has no words of its own are looked at more than once, and each look at one is a
  /// reflection. The fields of an object are not looked at.
  private func parts(of mirror: Mirror, _ facts: TypeFacts) -> Mirror.Children {
    facts.isObject || facts.describesItself
      ? mirror.children
      : Mirror.Children(Array(mirror.children.prefix(Describer.limit.fields + 1)))
  }

  private mutating func payload(_ value: Any, _ name: String, _ depth: Int) -> String {
    let mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .tuple { return fields(mirror.children, name, depth) }
    return "(\(words(value, in: name, depth: depth + 1)))"
  }

  private mutating func fields(
    _ children: Mirror.Children, _ outer: String, _ depth: Int
  ) -> String {
    let parts = Array(children.prefix(Describer.limit.fields))
    let key = secretKey(among: parts)
    var shown: [String] = []
    for (place, part) in parts.enumerated() {
      shown.append(
        key != nil && key != place
          ? label(part) + "…" : field(part, outer, depth))
    }
    if children.count > parts.count { shown.append("…") }
    return "(\(shown.joined(separator: ", ")))"
  }

  private mutating func field(
    _ child: Mirror.Child, _ outer: String, _ depth: Int
  ) -> String {
    guard let name = child.label, !name.hasPrefix(".") else {
      return words(child.value, in: outer, depth: depth + 1)
    }
    room -= name.utf8.count
    return label(child)
      + (rules.hides(child.value, under: name, in: outer)
        ? "…" : words(child.value, in: name, depth: depth + 1))
  }

  private func label(_ child: Mirror.Child) -> String {
    guard let label = child.label, !label.hasPrefix(".") else { return "" }
    return NameWords.withoutPrefix(label) + ": "
  }
}

/// Containers.
extension Description {
  private mutating func list(
    _ children: Mirror.Children, _ outer: String, _ depth: Int
  ) -> String {
    var shown: [String] = []
    for child in children.prefix(Describer.limit.elements) {
      if room <= 0 { break }
      shown.append(field(child, outer, depth))
    }
    return Self.list(shown, of: children.count)
  }

  /// The order of a dictionary and of a set is another in each run, and so are the first of them.
  private mutating func sortedList(
    _ children: Mirror.Children, _ show: (inout Description, Mirror.Child) -> String
  ) -> String {
    let count = Int(children.count)
    guard count <= min(Describer.limit.sorted, nodes / 2) else { return "[\(count) elements]" }
    let whole = room
    var all: [String] = []
    for child in children {
      // Each has the same room, or the order would decide what is shown.
      room = whole
      all.append(show(&self, child))
    }
    guard nodes > 0 || count == 0 else { return "[\(count) elements]" }
    all.sort()
    let shown = Array(all.prefix(Describer.limit.elements))
    room = whole - shown.reduce(0) { $0 + $1.utf8.count }
    return Self.list(shown, of: count)
  }

  private mutating func dictionary(
    _ children: Mirror.Children, _ outer: String, _ depth: Int
  ) -> String {
    if children.isEmpty { return "[:]" }
    return sortedList(children) { $0.pair($1, outer, depth) }
  }

  private mutating func pair(_ child: Mirror.Child, _ outer: String, _ depth: Int) -> String {
    let parts = Array(Mirror(reflecting: child.value).children)
    nodes -= 3
    guard child.label == nil, parts.count == 2 else { return field(child, outer, depth) }
    let name = keyName(parts[0].value)
    let key = words(parts[0].value, depth: depth + 1)
    let isSecret = rules.hides(parts[1].value, under: name, in: outer)
    return key + ": " + (isSecret ? "…" : words(parts[1].value, in: name, depth: depth + 1))
  }

  private static func list(_ shown: [String], of count: Int) -> String {
    let rest = count > shown.count ? ["… \(count - shown.count) more"] : []
    return "[\((shown + rest).joined(separator: ", "))]"
  }
}
