/// Where a secret is in a value.
extension Description {
  /// Whether a secret is in a value; also if it is too large or too deep to be searched whole.
  ///
  /// It does not stop at the first one that it finds: what may be looked at after it would depend on the
  /// order of a set.
  mutating func hasSecret(_ mirror: Mirror, in outer: String, depth: Int = 0) -> Bool {
    guard mirror.displayStyle != .class, !mirror.children.isEmpty else { return false }
    guard depth < Describer.limit.depth else { return true }
    let parts = Array(mirror.children.prefix(nodes))
    guard parts.count < nodes else {
      nodes = 0
      return true
    }
    nodes -= parts.count
    var found = mirror.displayStyle != .dictionary && secretKey(among: parts) != nil
    for part in parts {
      let name = part.label ?? ""
      found =
        isSecret(part, under: name, in: outer, isPair: mirror.displayStyle == .dictionary) || found
      let facts = rules.types.facts(of: part.value)
      if facts.plainness == nil, !facts.hasPlainElements, !facts.isHidden {
        let inner = name.isEmpty || name.hasPrefix(".") ? outer : name
        found = hasSecret(Mirror(reflecting: part.value), in: inner, depth: depth + 1) || found
      }
    }
    return found
  }

  private func isSecret(
    _ part: Mirror.Child, under name: String, in outer: String, isPair: Bool
  ) -> Bool {
    let facts = rules.types.facts(of: part.value)
    if facts.isHidden || facts.secrecy == .ofAll { return true }
    if facts.plainness != nil {
      if rules.knowsSecrets, !(part.value is Bool), rules.isKnownSecret("\(part.value)") {
        return true
      }
      return !name.isEmpty && rules.hides(part.value, under: name, in: outer)
    }
    if !name.isEmpty, rules.hides(part.value, under: name, in: outer) { return true }
    if facts.hasPlainElements { return false }
    let inner = Mirror(reflecting: part.value)
    if isPair, part.label == nil {
      let pair = Array(inner.children)
      if pair.count == 2, rules.hides(pair[1].value, under: keyName(pair[0].value), in: outer) {
        return true
      }
    }
    return isNameless(part.value, inner.displayStyle, inner.children, facts)
      || isTagged(inner, facts)
  }

  /// The place of the part that says that the others are a secret: `name` in
  /// `URLQueryItem(name: "token", value: …)`, or the first of a pair.
  func secretKey(among parts: [Mirror.Child]) -> Int? {
    guard parts.count > 1 else { return nil }
    return parts.indices.first { place in
      guard let text = parts[place].value as? String, (1...64).contains(text.utf8.count),
        !text.contains(where: \.isWhitespace)
      else { return false }
      let label = parts[place].label ?? ""
      let isKey =
        label.isEmpty || label.hasPrefix(".")
        ? place == 0 : Self.keys.contains(NameWords.withoutPrefix(label).lowercased())
      return isKey && rules.names.contains(text)
    }
  }

  private static let keys: Set<String> = [
    "name", "key", "field", "fieldname", "header", "parameter", "attribute", "id", "identifier",
  ]

  /// What a key is called.
  func keyName(_ key: Any) -> String {
    if let text = key as? String { return text }
    let facts = rules.types.facts(of: key)
    if facts.plainness != nil || facts.isHidden { return "" }
    if let base = (key as? AnyHashable)?.base, !(base is AnyHashable) { return "\(base)" }
    return "\(key)"
  }

  /// Whether it has fields, or a case with something in it, whose names the program was built without: of
  /// these nobody can tell which are secret.
  func isNameless(
    _ value: Any, _ style: Mirror.DisplayStyle?, _ children: Mirror.Children, _ facts: TypeFacts
  ) -> Bool {
    guard style == .struct || style == .enum, !facts.reflectsItself else { return false }
    guard children.isEmpty else { return children.contains { $0.label == nil } }
    return style == .struct && size(of: value) > 0
  }

  private func size<Value>(of _: Value) -> Int { MemoryLayout<Value>.size }

  /// Whether a type is generic over what is named like a secret, and holds none of that: a tag says what the
  /// rest is, as in `Tagged<PasswordTag, String>`.
  func isTagged(_ mirror: Mirror, _ facts: TypeFacts) -> Bool {
    guard !facts.secretArguments.isEmpty, !mirror.children.isEmpty else { return false }
    return facts.secretArguments.contains { argument in
      !mirror.children.contains { "\(type(of: $0.value))".contains(argument) }
    }
  }

  /// Calls a closure with each text and number in an element of a lane of secrets.
  mutating func findSecrets(
    in value: Any, depth: Int = 0, _ found: (_ text: String, _ isNumber: Bool) -> Void
  ) {
    guard nodes > 0, depth < Describer.limit.depth else { return }
    nodes -= 1
    let facts = rules.types.facts(of: value)
    // A question that is answered tells nothing.
    if value is Bool { return }
    if let plainness = facts.plainness {
      return found((value as? String) ?? "\(value)", plainness != .text)
    }
    guard !facts.isObject, !facts.isHidden else { return }
    for child in Mirror(reflecting: value).children.prefix(nodes) {
      findSecrets(in: child.value, depth: depth + 1, found)
    }
  }
}
