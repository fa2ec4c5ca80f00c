import AsyncChannels

/// Finds the channels that an object stores, also in structs, tuples, optionals, arrays and dictionaries, but
/// not in other objects.
struct ChannelFinder {
  /// How many elements of an array or a dictionary are looked at.
  static let limit = 64
  private static let depth = 4
  private static let sorted = 1024

  private(set) var found: [(followable: any Followable, name: LaneName)] = []
  /// The arrays and dictionaries of channels that were not looked at whole.
  private(set) var cut: [(name: String, count: Int)] = []
  let owner: String
  private let place: SourceLocation
  private let describer: Describer
  private var unnamed = 0

  init(owner: String, place: SourceLocation, describer: Describer) {
    self.owner = owner
    self.place = place
    self.describer = describer
  }

  mutating func search(_ object: AnyObject) {
    var mirror: Mirror? = Mirror(reflecting: object)
    while let parts = mirror {
      for part in parts.children {
        look(at: part.value, as: part.label.map(NameWords.withoutPrefix), depth: 0)
        unnamed += 1
      }
      mirror = parts.superclassMirror
    }
  }

  /// - Parameter name: Nil if the program was built without the names of properties.
  private mutating func look(at value: Any, as name: String?, depth: Int) {
    // The cast unwraps an optional.
    if let followable = value as? any Followable {
      let made = LaneName(name: "\(place)#\(unnamed)", owner: owner, isMadeUp: true)
      found.append((followable, name.map { LaneName(name: $0, owner: owner) } ?? made))
      return
    }
    guard depth < Self.depth, mayHaveParts(value) else { return }
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .optional:
      for child in mirror.children { look(at: child.value, as: name, depth: depth + 1) }
    case .struct, .tuple, .enum:
      for child in mirror.children {
        let inner = child.label.map(NameWords.withoutPrefix)
        look(at: child.value, as: Self.join(name, inner), depth: depth + 1)
      }
    case .collection, .dictionary: lookAtElements(mirror, name, depth)
    default: break
    }
  }

  private mutating func lookAtElements(_ mirror: Mirror, _ name: String?, _ depth: Int) {
    let before = found.count
    let elements =
      mirror.displayStyle == .dictionary
      ? pairs(mirror.children, under: name ?? "")
      : mirror.children.prefix(Self.limit).enumerated().map { ("\($0)", $1.value) }
    for (key, value) in elements.prefix(Self.limit) {
      look(at: value, as: name.map { "\($0)[\(key)]" }, depth: depth + 1)
      // The others are of the same type.
      if found.count == before { return }
    }
    let count = Int(mirror.children.count)
    if count > Self.limit { cut.append((name ?? owner, count)) }
  }

  /// By key, since the order of a dictionary is another in each run.
  private func pairs(_ children: Mirror.Children, under name: String) -> [(String, Any)] {
    var pairs: [(String, Any)] = []
    for child in children.prefix(Self.sorted) {
      let parts = Array(Mirror(reflecting: child.value).children)
      guard parts.count == 2, parts[1].value is any Followable || mayHaveParts(parts[1].value)
      else { return [] }
      let key = parts[0].value
      pairs.append(
        (describer.hides(key, under: name) ? "…" : describer.describe(key), parts[1].value))
    }
    return pairs.sorted { $0.0 < $1.0 }
  }

  /// Numbers and texts have parts that nobody means.
  private func mayHaveParts(_ value: Any) -> Bool {
    !(type(of: value) is AnyClass || value is any StringProtocol || value is any BinaryInteger
      || value is any BinaryFloatingPoint || value is Bool)
  }

  private static func join(_ outer: String?, _ inner: String?) -> String? {
    guard let outer, let inner else { return nil }
    return inner.hasPrefix(".") ? outer + inner : "\(outer).\(inner)"
  }
}
