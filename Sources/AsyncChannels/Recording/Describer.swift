import Synchronization

/// Puts elements into words, without what is secret.
///
/// An element is shown as it describes itself, and text is quoted. Not shown is what is in a field, a
/// case or under a key whose name is one of a secret (see `SecretNames`), and any value of a type with
/// such a name: of these, `Token(…)`. That holds in containers, too, and in types that describe
/// themselves: if such a description has a secret in it, the fields are shown instead. Of a type whose
/// fields have no names, since the program was built without them, nothing is shown but the type's.
///
/// The fields of classes are not looked at, since another thread may be changing them.
struct Describer: Sendable {
  private let names: SecretNames
  /// The user's own words; nil for what it leaves to this.
  private let custom: (@Sendable (Any) -> String?)?
  private let types = TypeNames()

  /// Of a long text the beginning, of a long list the first elements.
  private static let limit = (characters: 200, elements: 16, depth: 8)

  init(hiding names: [String] = [], custom: (@Sendable (Any) -> String?)? = nil) {
    self.names = SecretNames(names)
    self.custom = custom
  }

  func isSecret(_ name: String) -> Bool { names.contains(name) }

  func describe(_ value: Any) -> String {
    let text = words(value, depth: 0)
    return text.count > Self.limit.characters
      ? text.prefix(Self.limit.characters - 1) + "…" : text
  }

  private func words(_ value: Any, depth: Int) -> String {
    let (type, isSecret) = types.name(of: value, names)
    if isSecret { return "\(type)(…)" }
    if let own = custom?(value) { return own }
    // A mirror of these would cost more than all else that is recorded.
    switch value {
    case let number as Int: return number.description
    case let flag as Bool: return flag.description
    case let text as String: return text.debugDescription
    default: break
    }
    guard depth < Self.limit.depth else { return "…" }
    let mirror = Mirror(reflecting: value)
    return switch mirror.displayStyle {
    case .optional: mirror.children.first.map { words($0.value, depth: depth) } ?? "nil"
    case .collection: list(mirror.children, depth) { words($0.value, depth: depth + 1) }
    case .set: list(mirror.children, depth, sorted: true) { words($0.value, depth: depth + 1) }
    case .dictionary:
      mirror.children.isEmpty
        ? "[:]" : list(mirror.children, depth, sorted: true) { pair($0.value, depth) }
    case .tuple: fields(mirror.children, depth)
    default: ownWords(value, mirror, type, depth)
    }
  }

  /// What a value says of itself, unless it says a secret; else its fields.
  private func ownWords(_ value: Any, _ mirror: Mirror, _ type: String, _ depth: Int) -> String {
    if value is any StringProtocol || value is Character || value is Unicode.Scalar {
      return String(reflecting: value)
    }
    if isNameless(value, mirror) { return "\(type)(…)" }
    if let said = (value as? any CustomStringConvertible)?.description
      ?? (value as? any CustomDebugStringConvertible)?.debugDescription,
      let secrets = secrets(in: mirror)
    {
      if !secrets.contains(where: said.contains) { return said }
    }
    switch mirror.displayStyle {
    case .struct: return type + (mirror.children.isEmpty ? "()" : fields(mirror.children, depth))
    case .enum:
      guard let payload = mirror.children.first else { return "\(value)" }
      let name = payload.label ?? "\(type)"
      return name + (names.contains(name) ? "(…)" : self.payload(payload.value, depth))
    default: return mirror.displayStyle == .class ? type : "\(value)"
    }
  }

  /// Whether it has fields, or a case with something in it, whose names the program was built without: of
  /// these nobody can tell which are secret.
  private func isNameless(_ value: Any, _ mirror: Mirror) -> Bool {
    guard [.struct, .enum].contains(mirror.displayStyle), !(value is any CustomReflectable) else {
      return false
    }
    guard mirror.children.isEmpty else { return mirror.children.contains { $0.label == nil } }
    return mirror.displayStyle == .struct && size(of: value) > 0
  }

  private func size<Value>(of _: Value) -> Int { MemoryLayout<Value>.size }

  private func payload(_ value: Any, _ depth: Int) -> String {
    let mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .tuple { return fields(mirror.children, depth) }
    return "(\(words(value, depth: depth + 1)))"
  }

  private func fields(_ children: Mirror.Children, _ depth: Int) -> String {
    let shown = children.map { label, value in
      guard let label, !label.hasPrefix(".") else { return words(value, depth: depth + 1) }
      return "\(label): \(names.contains(label) ? "…" : words(value, depth: depth + 1))"
    }
    return "(\(shown.joined(separator: ", ")))"
  }

  private func list(
    _ children: Mirror.Children, _ depth: Int, sorted: Bool = false,
    _ show: (Mirror.Child) -> String
  ) -> String {
    // The order of a dictionary and of a set is another in each run, and so are the first of them.
    var shown =
      sorted
      ? Array(children.map(show).sorted().prefix(Self.limit.elements))
      : children.prefix(Self.limit.elements).map(show)
    let rest = Int(children.count) - shown.count
    if rest > 0 { shown.append("… \(rest) more") }
    return "[\(shown.joined(separator: ", "))]"
  }

  private func pair(_ value: Any, _ depth: Int) -> String {
    let parts = Array(Mirror(reflecting: value).children)
    guard parts.count == 2 else { return words(value, depth: depth + 1) }
    let key = parts[0].value
    return words(key, depth: depth + 1) + ": "
      + (isSecretKey(key) ? "…" : words(parts[1].value, depth: depth + 1))
  }

  private func isSecretKey(_ key: Any) -> Bool { names.contains(key as? String ?? "\(key)") }

  /// What the secret fields of a value say of themselves, as far as they can be found; nil if it has
  /// fields without names.
  private func secrets(in mirror: Mirror, depth: Int = 0) -> [String]? {
    guard mirror.displayStyle != .class, depth < Self.limit.depth else { return [] }
    var found: [String] = []
    for (label, value) in mirror.children {
      let inner = Mirror(reflecting: value)
      if isNameless(value, inner) { return nil }
      let key = mirror.displayStyle == .dictionary ? inner.children.first?.value : nil
      if label.map(names.contains) ?? false || key.map(isSecretKey) ?? false
        || types.name(of: value, names).isSecret
      {
        let secret = key == nil ? value : inner.children.dropFirst().first?.value ?? value
        found += texts(secret, Mirror(reflecting: secret), depth).filter { !$0.isEmpty }
      } else if let secrets = secrets(in: inner, depth: depth + 1) {
        found += secrets
      } else {
        return nil
      }
    }
    return found
  }

  /// The texts in a value, and what it says of itself.
  private func texts(_ value: Any, _ mirror: Mirror, _ depth: Int) -> [String] {
    guard mirror.displayStyle != .class, depth < Self.limit.depth else { return [] }
    if mirror.children.isEmpty { return ["\(value)"] }
    return mirror.children.flatMap { child in
      texts(child.value, Mirror(reflecting: child.value), depth + 1)
    }
  }
}

/// The names of types, and whether they are those of secrets: made once for each type.
private final class TypeNames: Sendable {
  private let known = Locked<[ObjectIdentifier: (name: String, isSecret: Bool)]>([:])

  /// Without its module, and without what it is generic over; nothing for tuples and functions.
  func name(of value: Any, _ secrets: SecretNames) -> (name: String, isSecret: Bool) {
    let type = type(of: value)
    if let known = known.withLock({ $0[ObjectIdentifier(type)] }) { return known }
    let whole = "\(type)".prefix { $0 != "<" }
    let name = whole.hasPrefix("(") ? "" : String(whole)
    let entry = (name: name, isSecret: secrets.contains(name))
    known.withLock { $0[ObjectIdentifier(type)] = entry }
    return entry
  }
}
