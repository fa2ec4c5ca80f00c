import AsyncChannels
import Synchronization

/// A call of a derived inlet's function (`contramap`, `forwarding`, `Inlet { }`), which sends an element on.
///
/// What is sent during the call, by the same thread for the same task, has come through the inlet.
final class InletCall: Sendable {
  @TaskLocal private static var innermost: InletCall?

  private let inlet: MadeInlet
  /// The inlet as it is recorded itself; several recordings may.
  let logs: [LogRecorder]
  private let outer: InletCall?
  private let sender: UInt64
  /// The recordings in which something was sent through it.
  private let seenBy = Locked<[ObjectIdentifier]>([])

  init(_ inlet: MadeInlet, recordedAs logs: [LogRecorder]) {
    self.inlet = inlet
    self.logs = logs
    outer = Self.innermost
    sender = Sender.current
  }

  /// The property and its file, if it was made in a property's getter. In a function, the name would
  /// be the function's, and in an initial value the type's.
  var property: (name: String, file: String)? {
    guard let place = inlet.place else { return nil }
    let name = "\(place.function)"
    guard let first = name.first, first.isLowercase || first == "_", !name.contains("(")
    else { return nil }
    let file = "\(place.fileID)".split(separator: "/").last ?? ""
    return (name, String(file.prefix { $0 != "." }))
  }

  /// The inlets through which the caller is sending, the first one first.
  ///
  /// A task that is begun by such a function inherits the value; it is not inside the call.
  static var current: [InletCall] {
    guard innermost != nil else { return [] }
    var calls: [InletCall] = []
    var call = innermost
    let sender = Sender.current
    while let next = call, next.sender == sender {
      calls.append(next)
      call = next.outer
    }
    return calls.reversed()
  }

  func carry<Result>(_ send: () -> Result) -> Result {
    Self.$innermost.withValue(self) { send() }
  }

  func noteSeen(by store: EventStore) {
    seenBy.withLock { $0.append(ObjectIdentifier(store)) }
  }

  func wasSeen(by store: EventStore) -> Bool {
    seenBy.withLock { $0.contains(ObjectIdentifier(store)) }
  }
}

/// Who sends: the running task, or outside of tasks the thread.
enum Sender {
  static var current: UInt64 { of(CurrentTask.number) }

  static func of(_ task: UInt64?) -> UInt64 {
    task ?? UInt64(UInt.max - CurrentThread.identifier)
  }
}
