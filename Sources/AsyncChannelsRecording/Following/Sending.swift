import AsyncChannels
import Synchronization

/// What a recording notes of an element that is on its way into a log.
final class Sending: SendNote {
  let pendingText: PendingText
  /// The event that sent the element by which this is caused.
  let cause: Int?
  /// The inlets that it came through, the first one first.
  let inletCalls: [InletCall]
  let sender = Sender.current

  /// - Parameter element: Nil if it is described later.
  init(to log: LogRecorder, _ element: Any? = nil) {
    inletCalls = InletCall.current
    cause = CauseTable.shared.element(in: log.owner)
    pendingText = PendingText(element.map { [inletCalls] in log.describe($0, through: inletCalls) })
    for call in inletCalls { call.noteSeen(by: log.owner) }
    if let element { followReply(to: element, in: log) }
  }

  /// Of one that began before it was recorded, or that nobody may be asked about. Its cause is not known.
  init(inWords words: String?) {
    (pendingText, cause, inletCalls) = (PendingText(words), nil, [])
  }
}

/// An element in words. They are filled in where no lock is held, which may be after the element was
/// appended.
final class PendingText: Sendable {
  private let words: Locked<String?>

  init(_ words: String?) {
    self.words = Locked(words)
  }

  var text: String {
    get { words.withLock { $0 } ?? "…" }
    set { words.withLock { $0 = newValue } }
  }
}
