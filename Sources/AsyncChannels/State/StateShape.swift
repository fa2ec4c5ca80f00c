public import Synchronization

/// How derived state is read.
@frozen @usableFromInline
enum StateReading: UInt8, AtomicRepresentable, Sendable {
  /// By reading its parts.
  case direct
  /// In a `StateGraph`: a part is reached in several ways, so that it would be read for each, or the chain is so long that
  /// it would need a deep stack.
  case inGraph
  /// Whether parts are shared has to be found out.
  case unknown
}

/// What is known of a state without a look at all that it is made of.
@frozen @usableFromInline
struct StateShape: Sendable {
  /// The only root; nil if there is none, or several.
  @usableFromInline var onlyRoot: ObjectIdentifier?
  @usableFromInline var reading: StateReading
  /// How many steps it is from its roots.
  @usableFromInline var depth: Int

  /// A read takes some hundreds of bytes of the stack for each step in a debug build.
  @inlinable static var deepest: Int { 500 }

  @inlinable
  init(onlyRoot: ObjectIdentifier?, reading: StateReading = .direct, depth: Int = 0) {
    (self.onlyRoot, self.reading, self.depth) = (onlyRoot, reading, depth)
  }

  /// That of a state one step further.
  @inlinable
  var next: StateShape {
    StateShape(
      onlyRoot: onlyRoot, reading: depth < Self.deepest ? reading : .inGraph, depth: depth + 1)
  }

  /// That of a combination.
  @inlinable
  static func + (one: StateShape, other: StateShape) -> StateShape {
    var sum = StateShape(
      onlyRoot: one.onlyRoot == other.onlyRoot ? one.onlyRoot : nil, reading: .unknown,
      depth: max(one.depth, other.depth))
    if one.reading == .inGraph || other.reading == .inGraph {
      sum.reading = .inGraph
    } else if let root = one.onlyRoot, let otherRoot = other.onlyRoot {
      sum.reading = root == otherRoot ? .inGraph : .direct
    }
    return sum
  }

  /// That of three. Their roots are known to differ if each two of them do.
  @inlinable
  static func sum(_ one: StateShape, _ two: StateShape, _ three: StateShape) -> StateShape {
    var sum = one + two + three
    let pairs = [one + two, two + three, one + three]
    if pairs.allSatisfy({ $0.reading == .direct }) { sum.reading = .direct }
    return sum
  }
}

extension StateOutlet {
  @inlinable
  var shape: StateShape {
    switch source {
    case .state(let root): StateShape(onlyRoot: ObjectIdentifier(root.log))
    case .derived(let derived): derived.shape
    }
  }
}
