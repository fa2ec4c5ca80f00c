import AsyncChannels

import Synchronization

/// Puts elements into words, without what is secret.
///
/// An element is shown as it describes itself, and text is quoted. Not shown is what is in a field, a
/// case or under a key whose name is one of a secret (see `SecretNames`), and any value of a type with
/// such a name: of these, `Token(…)`. That holds in containers, too. Of a value that describes itself and
/// has a secret in it, only the type is shown: `Login(…)`. Its description may show the secret in other
/// characters, or a part of it, and its fields what the description leaves out on purpose. So it is with
/// a type whose fields have no names, since the program was built without them.
///
/// Of an object only the type is shown, or what its custom mirror has. Its fields are not looked at,
/// since another thread may be changing them; so nobody knows what secrets its description tells.
package struct Describer: Sendable {
  private let names: SecretNames
  /// The user's own words; nil for what it leaves to this.
  private let custom: (@Sendable (Any) -> String?)?
  private let types = TypeNames()

  /// Of a long text the beginning, of a long list the first elements.
  private static let limit = (characters: 200, elements: 16, depth: 8)

  package init(hiding names: [String] = [], custom: (@Sendable (Any) -> String?)? = nil) {
    self.names = SecretNames(names)
    self.custom = custom
  }

  package func isSecret(_ name: String) -> Bool { names.contains(name) }

  package func describe(_ value: Any) -> String {
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
    case .optional: mirror.children.first.map { optional($0, depth) } ?? "nil"
    case .collection: list(mirror.children, depth) { field($0, depth) }
    case .set: list(mirror.children, depth, sorted: true) { field($0, depth) }
    case .dictionary:
      mirror.children.isEmpty
        ? "[:]" : list(mirror.children, depth, sorted: true) { pair($0, depth) }
    case .tuple: fields(mirror.children, depth)
    default: ownWords(value, mirror, type, depth)
    }
  }

  /// The value's own description, if it has one and no secret is in the value; else its fields.
  private func ownWords(_ value: Any, _ mirror: Mirror, _ type: String, _ depth: Int) -> String {
    if value is any StringProtocol || value is Character || value is Unicode.Scalar {
      return String(reflecting: value)
    }
    if isNameless(value, mirror) { return "\(type)(…)" }
    let isObject = Swift.type(of: value) is AnyClass
    if !isObject,
      value is any CustomStringConvertible || value is any CustomDebugStringConvertible
    {
      return hasSecret(mirror) ? "\(type)(…)" : "\(value)"
    }
    switch mirror.displayStyle {
    case .class: return type
    case .enum:
      guard let payload = mirror.children.first else { return "\(value)" }
      let name = payload.label ?? "\(type)"
      return name + (names.contains(name) ? "(…)" : self.payload(payload.value, depth))
    case .struct: return type + (mirror.children.isEmpty ? "()" : fields(mirror.children, depth))
    default:
      // A custom mirror with no style of its own; or a function, or a type.
      if !mirror.children.isEmpty { return type + fields(mirror.children, depth) }
      return isObject ? type : "\(value)"
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

  /// What a custom mirror calls optional may have another label.
  private func optional(_ child: Mirror.Child, _ depth: Int) -> String {
    child.label == "some" ? words(child.value, depth: depth) : field(child, depth)
  }

  private func payload(_ value: Any, _ depth: Int) -> String {
    let mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .tuple { return fields(mirror.children, depth) }
    return "(\(words(value, depth: depth + 1)))"
  }

  private func fields(_ children: Mirror.Children, _ depth: Int) -> String {
    "(\(children.map { field($0, depth) }.joined(separator: ", ")))"
  }

  private func field(_ child: Mirror.Child, _ depth: Int) -> String {
    guard let label = child.label else { return words(child.value, depth: depth + 1) }
    let words = names.contains(label) ? "…" : words(child.value, depth: depth + 1)
    return label.hasPrefix(".") ? words : "\(label): \(words)"
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

  private func pair(_ child: Mirror.Child, _ depth: Int) -> String {
    let parts = Array(Mirror(reflecting: child.value).children)
    guard child.label == nil, parts.count == 2 else { return field(child, depth) }
    let key = parts[0].value
    return words(key, depth: depth + 1) + ": "
      + (isSecretKey(key) ? "…" : words(parts[1].value, depth: depth + 1))
  }

  private func isSecretKey(_ key: Any) -> Bool { names.contains(key as? String ?? "\(key)") }

  /// Whether a secret is in a value; also if it is too deep to be searched whole.
  private func hasSecret(_ mirror: Mirror, depth: Int = 0) -> Bool {
    guard mirror.displayStyle != .class, !mirror.children.isEmpty else { return false }
    guard depth < Self.limit.depth else { return true }
    return mirror.children.contains { label, value in
      let inner = Mirror(reflecting: value)
      let key = mirror.displayStyle == .dictionary ? inner.children.first?.value : nil
      return label.map(names.contains) ?? false || key.map(isSecretKey) ?? false
        || types.name(of: value, names).isSecret || isNameless(value, inner)
        || hasSecret(inner, depth: depth + 1)
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
