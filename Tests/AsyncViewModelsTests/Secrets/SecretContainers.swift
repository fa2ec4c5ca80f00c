/// Fifty kinds of values with something in them.
enum SecretContainers {
  struct Kind: Sendable {
    let name: String
    let make: @Sendable (Field) -> any Sendable

    init(_ name: String, _ make: @escaping @Sendable (Field) -> any Sendable) {
      (self.name, self.make) = (name, make)
    }
  }

  /// A text, and the name under which it is.
  struct Field: Sendable, Hashable, CustomReflectable {
    let name: String
    let value: String
    var customMirror: Mirror { Mirror(self, children: [name: value]) }
  }

  struct Box<Value: Sendable>: Sendable { let value: Value }
  struct Two<First: Sendable, Second: Sendable>: Sendable { let first: First, second: Second }
  struct Item: Sendable { let name: String, value: String }
  struct Header: Sendable { let field: String, content: String }
  struct Entry: Sendable, CustomStringConvertible {
    let key: String, value: String
    var description: String { "\(key) is \(value)" }
  }
  struct Talkative: Sendable, CustomStringConvertible {
    let field: Field
    var description: String { "Talkative with \(field.value)" }
  }
  struct Debuggable: Sendable, CustomDebugStringConvertible {
    let parts: [String: String]
    var debugDescription: String { "Debuggable \(parts)" }
  }
  final class Object: Sendable, CustomStringConvertible {
    let field: Field
    init(_ field: Field) { self.field = field }
    var description: String { "Object \(field.value)" }
  }
  final class Mirrored: Sendable, CustomReflectable {
    let field: Field
    init(_ field: Field) { self.field = field }
    var customMirror: Mirror { Mirror(self, children: [field.name: field.value]) }
  }
  struct Failure: Error { let reason: Field }
  indirect enum Tree: Sendable {
    case leaf(Field)
    case node([Tree])
    case named(String, value: String)
    case labelled(name: String, value: String)
  }
  struct Styled: Sendable, CustomReflectable {
    let field: Field
    let style: Mirror.DisplayStyle?
    var customMirror: Mirror {
      Mirror(self, children: [field.name: field.value], displayStyle: style)
    }
  }

  static let kinds: [Kind] = simple + keyed + styled + nested

  private static let simple: [Kind] = [
    Kind("a field") { $0 }, Kind("an array") { [$0] }, Kind("an optional") { Optional($0) },
    Kind("two optionals") { Optional(Optional($0)) }, Kind("a set") { Set([$0]) },
    Kind("a contiguous array") { ContiguousArray([$0]) }, Kind("a slice") { [$0, $0][1...] },
    Kind("a box") { Box(value: $0) }, Kind("a tuple") { (1, $0) },
    Kind("a labelled tuple") { (number: 1, field: $0) },
    Kind("a success") { Result<Field, Failure>.success($0) },
    Kind("a failure") { Result<Int, Failure>.failure(Failure(reason: $0)) },
    Kind("an error") { Failure(reason: $0) }, Kind("a case") { Tree.leaf($0) },
    Kind("cases in cases") { Tree.node([.leaf($0), .node([.leaf($0)])]) },
    Kind("an object") { Object($0) }, Kind("an object with a mirror") { Mirrored($0) },
    Kind("objects") { [Mirrored($0), Mirrored($0)] },
    Kind("a talkative value") { Talkative(field: $0) },
    Kind("talkative values") { [Talkative(field: $0)] },
    Kind("a repetition") { Array(repeating: $0, count: 40) },
    Kind("a collection of one") { CollectionOfOne($0) },
  ]

  private static let keyed: [Kind] = [
    Kind("a dictionary") { [$0.name: $0.value] },
    Kind("a dictionary of optionals") { [$0.name: Optional($0.value)] },
    Kind("a dictionary of lists") { [$0.name: [$0.value]] },
    Kind("a dictionary in a dictionary") { ["a": [$0.name: $0.value]] },
    Kind("a dictionary with other keys") { [$0.name: $0.value, "other": "a", "third": "b"] },
    Kind("pairs") { [($0.name, $0.value)] },
    Kind("a pair") { ($0.name, $0.value) },
    Kind("a labelled pair") { (key: $0.name, value: $0.value) },
    Kind("an item") { Item(name: $0.name, value: $0.value) },
    Kind("items") { [Item(name: $0.name, value: $0.value)] },
    Kind("a header") { Header(field: $0.name, content: $0.value) },
    Kind("an entry") { Entry(key: $0.name, value: $0.value) },
    Kind("a debuggable value") { Debuggable(parts: [$0.name: $0.value]) },
    Kind("a case with a name") { Tree.labelled(name: $0.name, value: $0.value) },
  ]

  private static let styled: [Kind] = [
    .struct, .class, .tuple, .collection, .set, .dictionary, .enum, .optional,
  ].map { (style: Mirror.DisplayStyle) in Kind("a \(style)") { Styled(field: $0, style: style) } }

  private static let nested: [Kind] = [
    Kind("a box in a box") { Box(value: Box(value: $0)) },
    Kind("a box in an array in a dictionary") { ["a": [Box(value: $0)]] },
    Kind("two things") { Two(first: 1, second: $0) },
    Kind("an optional in a tuple") { (Optional($0), "a") },
    Kind("a dictionary in an array in an optional") { Optional([[$0.name: $0.value]]) },
    Kind("a tuple in a case") { Result<(Int, Field), Failure>.success((1, $0)) },
  ]
}
