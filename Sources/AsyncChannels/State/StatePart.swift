/// One of the states that derived state is made of.
@usableFromInline
enum StatePart: Sendable {
  case root(BroadcastLogBase, ObservedValue)
  case derived(StateNode)

  var id: ObjectIdentifier {
    switch self {
    case .root(let log, _): ObjectIdentifier(log)
    case .derived(let node): ObjectIdentifier(node)
    }
  }
}
