import AsyncChannels
import Synchronization

/// What a recording notes of an element that is on its way into a log.
final class Sending: SendNote {
  let pendingText: PendingText
  /// The event that sent the element by which this is caused.
  let cause: Int?
  /// The inlets that it came through, the first one first.
  let inletCalls: [InletCall]
  let sender: UInt64

  /// - Parameter element: Nil if it is described later.
  init(to log: LogRecorder, _ element: Any? = nil) {
    let task = CurrentTask.number
    (sender, inletCalls) = (Sender.of(task), InletCall.current)
    cause = CauseTable.shared.element(in: log.owner, takenBy: task)
    // An object may be a request, which has a reply later.
    pendingText = PendingText(
      element.map { [inletCalls] in log.describe($0, through: inletCalls) },
      mayChange: element.map { type(of: $0) is AnyClass } ?? true)
    for call in inletCalls { call.noteSeen(by: log.owner) }
    if let element { followReply(to: element, in: log) }
  }

  /// Of one that began before it was recorded, or that nobody may be asked about. Its cause is not known.
  init(inWords words: String?) {
    pendingText = PendingText(words, mayChange: true)
    (sender, cause, inletCalls) = (Sender.current, nil, [])
  }
}

/// An element in words. They are filled in where no lock is held, which may be after the element was
/// appended.
final class PendingText: Sendable {
  private struct State {
    var words: String?
    /// Set once the event has a number, if the words may change.
    var event = 0
    weak var store: EventStore?
  }

  private let state: Locked<State>
  private let mayChange: Bool

  init(_ words: String?, mayChange: Bool) {
    state = Locked(State(words: words))
    self.mayChange = mayChange
  }

  /// Nil if they are not known yet.
  var known: String? { state.withLock { $0.words } }

  var text: String {
    get { known ?? "…" }
    set {
      let (event, store) = state.withLock { state in
        state.words = newValue
        return (state.event, state.store)
      }
      store?.noteWords(newValue, of: event)
    }
  }

  /// Readers of the recording are told of words that are filled in later.
  func isOf(_ event: Int, in store: EventStore) {
    guard mayChange else { return }
    state.withLock { ($0.event, $0.store) = (event, store) }
  }
}
