/// Puts elements into words, without what is secret.
///
/// An element is shown as it describes itself, and text is quoted. Not shown is what is in a field, a
/// case or under a key whose name is one of a secret (see `SecretNames`), any value of a type with such a
/// name or mark, and in texts what looks like a secret (see `SecretText`). That holds in containers, too. If a
/// value has its own `description` and contains a secret, only its type is shown: `Login(…)`. Its
/// description may show the secret in other characters, or a part of it, and its fields what the
/// description leaves out on purpose. The same holds for a type whose fields have no names, since the
/// program was built without them.
///
/// Of an object only the type is shown, or what its custom mirror has. Its fields are not looked at,
/// since another thread may be changing them; so nobody knows what secrets its description tells.
///
/// It looks at no more than `limit.nodes` values of an element, whatever the element's size. What it
/// leaves out does not depend on time, so an element has the same words in each run.
package struct Describer: Sendable {
  let names: SecretNames
  /// The user's own words; nil for what it leaves to this.
  let custom: (@Sendable (Any) -> String?)?
  let showsOnlyMarked: Bool
  let types: TypeTable
  private let secrets = SecretValues()

  /// Of a long text the beginning, of a long list the first elements. A set or a dictionary has no first
  /// ones; one that is larger than `sorted` is only counted.
  static let limit = (characters: 200, elements: 16, fields: 32, depth: 8, nodes: 256, sorted: 128)

  package init(
    hiding names: [String] = [], showsOnlyMarked: Bool = false,
    custom: (@Sendable (Any) -> String?)? = nil
  ) {
    self.names = SecretNames(names)
    self.custom = custom
    self.showsOnlyMarked = showsOnlyMarked
    types = TypeTable(self.names)
  }

  func isSecret(_ name: String) -> Bool { names.secrecy(of: name) != .none }

  package func describe(_ value: Any) -> String {
    if custom == nil, !showsOnlyMarked {
      // What else is done would cost more than all that is recorded beside it.
      // Opened, since a cast from `Any` takes longer than one from the type that it is.
      if let words = short(value) { return words }
    }
    var description = Description(by: self)
    return Self.clip(description.words(value))
  }

  private func short<Value>(_ value: Value) -> String? {
    if let number = value as? Int {
      return secrets.areNone && number.magnitude < 1_000_000_000_000 ? number.description : nil
    }
    return (value as? Bool)?.description
  }

  /// An element of a lane, which came through inlets with names, too.
  package func describe(_ value: Any, under names: some Collection<String>) -> String {
    guard names.contains(where: { hides(value, under: $0) }) else { return describe(value) }
    var search = Description(by: self)
    search.findSecrets(in: value) { text, _ in secrets.add(text) }
    return "…"
  }

  /// Whether it is shown by its parts, and so each of them may be shown under the names and its own.
  package func showsParts(of value: Any, under names: [String]) -> Bool {
    let facts = types.facts(of: value)
    return !facts.isHidden && (!facts.describesItself || value is [Any])
      && !names.contains { hides(value, under: $0) } && describe(value) != "…"
  }

  func hides(_ value: Any, under name: String, in outer: String = "") -> Bool {
    switch names.secrecy(ofLabel: name, in: outer) {
    case .none: false
    case .ofText: isText(value)
    case .ofAll: !names.isHarmless(value, under: name)
    }
  }

  /// Whether it is a text, or has texts under no name: what stands in it cannot be told from a secret.
  private func isText(_ value: Any, depth: Int = 0) -> Bool {
    guard depth < Self.limit.depth else { return true }
    let facts = types.facts(of: value)
    if let plainness = facts.plainness { return plainness == .text }
    guard !facts.isObject, !facts.isHidden, !facts.hasPlainElements else { return false }
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .optional, .collection, .set:
      return mirror.children.first.map { isText($0.value, depth: depth + 1) } ?? false
    case .dictionary:
      guard let pair = mirror.children.first?.value else { return false }
      return Mirror(reflecting: pair).children.contains { label, part in
        label != "key" && isText(part, depth: depth + 1)
      }
    case .struct, .enum: return facts.describesItself && !facts.reflectsItself
    case .tuple: return !mirror.children.allSatisfy { $0.label?.hasPrefix(".") == false }
    default: return true
    }
  }

  /// Whether only the name of its lane could tell that it is a secret: a text, a number, or a container or generic
  /// type with some.
  func isPlain(_ value: Any, depth: Int = 0) -> Bool {
    let facts = types.facts(of: value)
    guard depth < Self.limit.depth, facts.plainness == nil, !facts.hasPlainElements else {
      return !(value is Bool)
    }
    if facts.isObject || facts.isHidden { return false }
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .dictionary: return !mirror.children.isEmpty
    case .struct, .enum: if !facts.isGeneric { return isText(value) }
    case .tuple: if !isText(value) { return false }
    default: break
    }
    return mirror.children.prefix(Self.limit.sorted).contains {
      isPlain($0.value, depth: depth + 1)
    }
  }

  /// The texts and numbers in an element of a lane that has no name yet.
  func suspects(in value: Any) -> Suspects {
    var (search, suspects) = (Description(by: self), Suspects())
    search.findSecrets(in: value) { suspects.add($0, isNumber: $1) }
    return suspects
  }

  /// A lane has got this name.
  func judge(_ suspects: Suspects, under name: String) {
    guard isSecret(name) else { return }
    secrets.add(suspects, areHarmlessNumbers: names.isHarmless(0, under: name))
  }

  func isKnownSecret(_ text: String) -> Bool { secrets.contains(text) }

  var knowsSecrets: Bool { !secrets.areNone }

  static func clip(_ text: String) -> String {
    // A character may have many bytes, but a text has no more characters than bytes.
    guard text.utf8.count > limit.characters else { return text }
    let beginning = text.prefix(limit.characters)
    return beginning.endIndex == text.endIndex ? text : beginning.dropLast() + "…"
  }
}
