import AsyncChannels
import Synchronization

/// What a live run looked like: every element that was sent, who took it when, and what it caused.
///
/// ```swift
/// let recording = Recording(of: viewModel)
/// …
/// print(recording)                       // a picture of text, without times: the same in each run
/// print(recording.text(times: true))     // with times, and with who came and went
/// ```
///
/// It watches every channel and every state that an object stores, found by the names of its
/// properties, `private` ones too. Nothing has to be prepared, and subscriptions that existed before
/// are seen as well. ``add(_:as:isolation:fileID:line:)`` adds a second object.
///
/// - **Causes.** What a task sends after it took an element, until it asks the same subscription
///   again or its loop ends, was caused by that element. `for await`, `bind`, `observe` and `answer` need nothing else.
///   Where nothing is known, no cause is shown. An element that is taken by hand, with
///   `Subscription.next()` or a `Probe`, causes nothing, unless it is an input's: a script
///   that waits for an output and then sends the next input is no effect of that output.
/// - **It does not change what it records.** No task suspends for it, and no element is kept: each is
///   put into words when it is sent, by the sender. Sends, takes and drops are noted in the order in
///   which they happen.
/// - **Secrets** do not appear: a lane, field, case, key or type that is named like a secret
///   (`password`, `accessToken`, `Token`) or is in `hiding` is shown as `…`, and so is a part of a text that
///   looks like a secret: a token, a key, a card number, a user in a URL. Of a value that describes itself
///   and has such a part, only the type is shown, unless its custom mirror leaves that part out;
///   of an object the type or its custom mirror. `describing` can show more. ``HiddenInRecordings`` marks
///   what only you know to be confidential, and ``Showing/onlyMarked`` shows nothing that is not marked.
/// - **A large element** has few words: at most 200 characters, and no more than 256 of its values are
///   looked at, whatever its size. Of a set or a dictionary with more than 128 elements the size is shown.
/// - **The end**: when the recording is dropped, nothing is recorded any more. It keeps no channel and
///   no element alive.
///
/// A channel that nobody records pays nothing for a send, and one relaxed load for each batch of
/// elements taken. A recorded send and its take cost a hundred times as much as unrecorded ones, and the
/// description: a recording is for looking at a run, a test or a bug, not for measuring throughput.
///
/// Of an actor, the variables are read: record it from its own isolation, as
/// `await Recording(of: manager)` does.
public final class Recording: Sendable {
  let tape: Tape
  private let watched = Locked<[@Sendable () -> Void]>([])

  /// Makes a recording of nothing, to which channels and objects are added.
  ///
  /// - Parameters:
  ///   - limit: How many events are kept: the newest. The text says how many were left out. Traps
  ///     below one.
  ///   - clock: What times are measured with. It is asked at each event, by whatever thread, and with a
  ///     channel's lock held: it must not use a channel itself.
  ///   - names: Names of fields, types, cases, keys and properties whose contents are not shown, beside
  ///     those that are named like secrets. They are compared word by word: `iban` hides `userIBAN`,
  ///     `_iban` and `ibans`, too.
  ///   - showing: Which elements are put into words: all, without secrets, or only those that are marked.
  ///   - describe: Returns an element, or a part of one, in words of your own; nil for what is to be
  ///     shown as usual. Called by the sender, with no lock of a channel held. What it returns is shown
  ///     as it is, secrets too, though not where a name hides it.
  public init(
    limit: Int = 10_000, clock: some Clock<Duration> = ContinuousClock(),
    hiding names: [String] = [], showing: Showing = .allButSecrets,
    describing describe: (@Sendable (Any) -> String?)? = nil
  ) {
    if limit < 1 {
      Diagnostics.programmerError("A recording cannot keep \(limit) events: it keeps at least 1.")
    }
    let start = clock.now
    let describer = Describer(
      hiding: names, showsOnlyMarked: showing == .onlyMarked, custom: describe)
    tape = Tape(limit: limit, describer: describer) {
      start.duration(to: clock.now)
    }
    CauseTable.shared.recordingBegins()
  }

  deinit {
    for detach in watched.withLock({ $0 }) { detach() }
    tape.end()
    CauseTable.shared.recordingEnds(tape)
  }

  /// The flow so far.
  package var flow: Flow { tape.flow }

  /// Follows a log or an inlet under a name. One that is followed already keeps its name.
  func watch(_ followable: any Followable, as name: LaneName) {
    guard let source = followable.followedSource else { return }
    let followed = source.followed
    // One add after the other, so that a log has one lane.
    watched.withLock { watched in
      let isKnown = followed.observers.contains { ($0 as? TapedLog)?.owner === tape }
      if isKnown { return }
      let log = TapedLog(name, on: tape, kind: source.kind)
      followed.attach(log)
      watched.append { [weak followed] in followed?.detach(log) }
    }
  }
}

/// What a lane is to be called.
struct LaneName {
  let name: String
  /// See `Flow.Lane`.
  var owner = ""
  /// Whether it stands for a name that is not known. That name may be one of a secret.
  var isMadeUp = false
}
