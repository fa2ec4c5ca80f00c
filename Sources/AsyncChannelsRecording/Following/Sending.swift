import AsyncChannels
import Synchronization

/// What a recording notes of an element that is on its way into a log.
final class Sending: SendNote {
  let caption: Caption
  /// The event that sent the element by which this is caused.
  let cause: Int?
  /// The inlets that it came through, the first one first.
  let vias: [Via]
  let sender = Sender.current

  /// - Parameter element: Nil if it is described later.
  init(to log: TapedLog, _ element: Any? = nil) {
    vias = Via.current
    cause = CauseTable.shared.element(in: log.owner)
    caption = Caption(element.map { [vias] in log.describe($0, through: vias) })
    for via in vias { via.noteSeen(by: log.owner) }
    if let element { followReply(to: element, in: log) }
  }

  /// Of one that began before it was recorded, or that nobody may be asked about. Its cause is not known.
  init(inWords words: String?) {
    (caption, cause, vias) = (Caption(words), nil, [])
  }
}

/// An element in words. They are filled in where no lock is held, which may be after the element was
/// appended.
final class Caption: Sendable {
  private let words: Locked<String?>

  init(_ words: String?) {
    self.words = Locked(words)
  }

  var text: String {
    get { words.withLock { $0 } ?? "…" }
    set { words.withLock { $0 = newValue } }
  }
}
