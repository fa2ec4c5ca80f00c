import AsyncChannels
import Synchronization

/// A derived inlet through which an element is being sent: `contramap`, `forwarding`, `Inlet { }`.
///
/// What is sent while it calls its function, by the same thread for the same task, has come through
/// it.
final class Via: Sendable {
  @TaskLocal private static var innermost: Via?

  private let inlet: MadeInlet
  /// The inlet as it is recorded itself; several recordings may.
  let logs: [TapedLog]
  private let outer: Via?
  private let sender: UInt64
  /// The recordings in which something was sent through it.
  private let seenBy = Locked<[ObjectIdentifier]>([])

  init(_ inlet: MadeInlet, recordedAs logs: [TapedLog]) {
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
  static var current: [Via] {
    guard innermost != nil else { return [] }
    var vias: [Via] = []
    var via = innermost
    let sender = Sender.current
    while let next = via, next.sender == sender {
      vias.append(next)
      via = next.outer
    }
    return vias.reversed()
  }

  func carry<Result>(_ send: () -> Result) -> Result {
    Self.$innermost.withValue(self) { send() }
  }

  func noteSeen(by tape: Tape) {
    seenBy.withLock { $0.append(ObjectIdentifier(tape)) }
  }

  func wasSeen(by tape: Tape) -> Bool {
    seenBy.withLock { $0.contains(ObjectIdentifier(tape)) }
  }
}

/// Who sends: the running task, or outside of tasks the thread.
enum Sender {
  static var current: UInt64 {
    CurrentTask.number ?? UInt64(UInt.max - CurrentThread.identifier)
  }
}
