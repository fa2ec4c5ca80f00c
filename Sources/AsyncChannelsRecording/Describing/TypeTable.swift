import AsyncChannels
import Synchronization

/// What is to be known of a type to describe its values.
final class TypeFacts: Sendable {
  enum Plainness: Sendable {
    case text, integer, other
  }

  /// Without its module, and without what it is generic over; nothing for tuples and functions.
  let name: String
  let secrecy: SecretNames.Secrecy
  /// What it is generic over, if that is named like a secret: `PasswordTag` of `Tagged<PasswordTag, String>`.
  let secretArguments: [String]
  let isGeneric: Bool
  let isHidden: Bool
  let isShown: Bool
  let isObject: Bool
  let isRequest: Bool
  let describesItself: Bool
  let reflectsItself: Bool
  /// Set for a type whose values have no parts.
  let plainness: Plainness?
  /// Whether its values are collections of numbers.
  let hasPlainElements: Bool

  init(_ type: Any.Type, _ names: SecretNames) {
    let whole = "\(type)"
    let isStandard = String(reflecting: type).hasPrefix("Swift.")
    name = whole.hasPrefix("(") ? "" : String(whole.prefix { $0 != "<" })
    secrecy = isStandard ? .none : names.secrecy(of: name)
    let arguments = whole.dropFirst(name.count).split { !$0.isLetter && !$0.isNumber && $0 != "_" }
    secretArguments =
      isStandard || name.isEmpty ? [] : arguments.map(String.init).filter(names.contains)
    isGeneric = whole.contains("<")
    isHidden = type is any HiddenInRecordings.Type
    isShown = type is any ShownInRecordings.Type
    isObject = type is AnyClass
    isRequest = type is any DescribedByQuestion.Type
    describesItself =
      type is any CustomStringConvertible.Type || type is any CustomDebugStringConvertible.Type
    reflectsItself = type is any CustomReflectable.Type
    plainness = Self.plainness(of: type)
    hasPlainElements =
      (isStandard ? type as? any Collection.Type : nil).map {
        let element = Self.element(of: $0)
        return element is any BinaryInteger.Type || element is any BinaryFloatingPoint.Type
      } ?? false
  }

  private static func plainness(of type: Any.Type) -> Plainness? {
    if type is any StringProtocol.Type || type == Character.self || type == Unicode.Scalar.self {
      return .text
    }
    if type is any BinaryInteger.Type { return .integer }
    return type is any BinaryFloatingPoint.Type || type == Bool.self ? .other : nil
  }

  private static func element<Elements: Collection>(of _: Elements.Type) -> Any.Type {
    Elements.Element.self
  }
}

/// The facts of the types that were seen, found once for each.
final class TypeTable: Sendable {
  private let known = Locked<[ObjectIdentifier: TypeFacts]>([:])
  private let names: SecretNames

  init(_ names: SecretNames) {
    self.names = names
  }

  func facts(of value: Any) -> TypeFacts {
    let type = type(of: value)
    if let known = known.withLock({ $0[ObjectIdentifier(type)] }) { return known }
    let facts = TypeFacts(type, names)
    known.withLock { $0[ObjectIdentifier(type)] = facts }
    return facts
  }
}
