import AsyncChannels
import Synchronization

/// Records what happens in the channels of an object: which elements were sent, what took them and when, and
/// what they caused. Use it in a debugger, a failing test or a bug report.
///
/// ```swift
/// let recording = Recording(of: viewModel)
/// …
/// print(recording)                       // a picture of text, without times: the same in each run
/// print(recording.text(times: true))     // with times, and with who came and went
/// ```
///
/// It watches every channel and every state that an object stores, in `private` properties too. You prepare
/// nothing, and it also sees subscriptions that existed before. ``add(_:as:isolation:fileID:line:)`` adds a
/// second object.
///
/// - **Causes.** What a task sends after it took an element, until it asks the same subscription again or its
///   loop ends, was caused by that element. `for await`, `bind`, `observe` and `answer` need nothing else. If a cause is
///   unknown, none is shown. An element that is taken with `Subscription.next()` or a `Probe` causes nothing,
///   unless it is an input's: if a script waits for an output and then sends the next input, the output is
///   not the cause.
/// - **It does not change what it records.** No task suspends for it, and no element is kept: the sender
///   converts each element to text when it is sent. Sends, takes and drops are noted in the order in which
///   they happen.
/// - **Secrets** do not appear: a lane, field, case, key or type that is named like a secret (`password`,
///   `accessToken`, `Token`) or is in `hiding` is shown as `…`, and so is a part of a text that looks like a
///   secret: a token, a key, a card number, a user in a URL. If a value has a `description` of its own and
///   contains such a part, only its type is shown, unless its custom mirror leaves that part out. For an
///   object, the type or the custom mirror is shown. `describing` can show more. ``HiddenInRecordings`` marks
///   what only you know to be confidential, and ``Showing/onlyMarked`` shows nothing that is not marked.
/// - **A large element** has a short text: at most 200 characters, from at most 256 of its values. For a set
///   or a dictionary with more than 128 elements, only the size is shown.
/// - **The end**: dropping the recording ends it. It keeps no channel and no element alive.
///
/// A channel that is not recorded pays nothing for a send, and one relaxed load for each batch of elements
/// taken. A recorded send and its take cost eighty times as much as unrecorded ones, and in addition the
/// description. So do not measure throughput while you record.
///
/// A recording reads the variables of an actor, so record an actor from its own isolation, as
/// `await Recording(of: manager)` does.
public final class Recording: Sendable {
  let store: EventStore

  /// Makes an empty recording, to which you add channels and objects.
  ///
  /// - Parameters:
  ///   - limit: The number of events that are kept, the newest ones. The text says how many were left out.
  ///     Traps if it is less than one.
  ///   - clock: The clock that measures the times. It is read at each event, on any thread, and with a
  ///     channel's lock held: it must not use a channel itself.
  ///   - names: Names of fields, types, cases, keys and properties whose contents are not shown, beside those
  ///     that are named like secrets. They are compared word by word: `iban` also hides `userIBAN`, `_iban`
  ///     and `ibans`.
  ///   - showing: Which elements are shown: all, without secrets, or only those that are marked.
  ///   - describe: Returns your own text for an element or a part of one, or nil to show it as usual. It is
  ///     called by the sender, with no lock of a channel held. Its text is shown unchanged, with any secrets
  ///     in it, except where a name hides it.
  public init(
    limit: Int = 10_000, clock: some Clock<Duration> = ContinuousClock(),
    hiding names: [String] = [], showing: Showing = .allButSecrets,
    describing describe: (@Sendable (Any) -> String?)? = nil
  ) {
    if limit < 1 {
      Misuse.trap("A recording cannot keep \(limit) events: it keeps at least 1.")
    }
    let start = clock.now
    let describer = Describer(
      hiding: names, showsOnlyMarked: showing == .onlyMarked, custom: describe)
    store = EventStore(limit: limit, describer: describer) {
      start.duration(to: clock.now)
    }
    CauseTable.shared.recordingBegins()
  }

  deinit {
    store.end()
    CauseTable.shared.recordingEnds(store)
  }

  /// The flow so far.
  package var flow: Flow { store.flow }
}

/// What a lane is to be called.
struct LaneName {
  let name: String
  /// See `Flow.Lane`.
  var owner = ""
  /// Whether it stands for a name that is not known. That name may be one of a secret.
  var isMadeUp = false
  /// Whether it is not known yet: see `Recording.ofProgram`.
  var isMissing = false
}
