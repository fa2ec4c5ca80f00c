import Synchronization

/// What becomes of each element of one call of `answer`: taken, begun, superseded, ignored, given back,
/// answered. Each of these is decided in one step, under one lock.
///
/// `cancel()` comes through this lock, too. So an element's work is begun before that, or the element is
/// given back, and the next call finds it as soon as `cancel()` has returned. No task is resumed, and no code
/// of a user run, with the lock held. (A derived subscription runs its closures when it takes, so from that
/// it is taken first, and held after that.)
///
/// Order of locks: that of the task which is cancelled, this one, the cursor's, the log's.
final class Turns: Sendable {
  enum Verdict {
    case begins(after: OlderTurns)
    case ignored, closed
  }

  /// What a newer one leaves behind.
  struct OlderTurns {
    /// Whose tasks may not be done.
    var all: [TurnBase] = []
    var superseded: [TurnBase] = []
  }

  private struct State {
    var isClosed = false
    /// How many there are whose answer counts.
    var count = 0
    var held = HeldTurns()
    /// Those that a newer one may supersede, or waits for.
    var current = CurrentTurns()
    /// Resumed when none is current.
    var waiting: CheckedContinuation<Void, Never>?
    var late = LateElements()
    /// Whether busy is reported although there is no turn, since one is expected.
    var isExpecting = false
    /// Whether the next one is held already, and not decided.
    var hasOneAhead = false

    /// Ends the time in which a turn is held. False if it has ended already.
    mutating func release(_ turn: TurnBase, into phase: TurnBase.Phase) -> Bool {
      let isHeld = turn.phase == .held
      if isHeld { held.remove(turn) }
      turn.phase = phase
      return isHeld
    }

    /// Supersedes all that are current.
    mutating func supersede() -> OlderTurns {
      let superseded = current.all.filter { $0.phase != .over }
      for turn in superseded { _ = release(turn, into: .over) }
      count -= superseded.count
      return OlderTurns(all: current.takeAll(), superseded: superseded)
    }
  }

  private let rules: AnswerRules
  /// Nil if the sequence is neither a subscription nor an outlet.
  private let place: ConsumerPlace?
  private let busy: Busy?
  private let state = Locked(State())

  init(_ rules: AnswerRules, of place: ConsumerPlace?) {
    self.rules = rules
    self.place = place
    busy = rules.busy.map { Busy(reportingTo: $0) }
  }

  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Takes an element that is there, and holds it.
  ///
  /// - Parameters:
  ///   - older: What was taken before and is superseded by this, if there is one.
  ///   - take: Takes it.
  func take(replacing older: TurnBase? = nil, _ take: () -> TakenTurn) -> TakenTurn {
    guard place?.isPlain == true else {
      if isClosed { return .nothing }
      let taken = take()
      let (found, late) = state.withLock { state in
        (hold(taken, replacing: older, &state), state.isClosed ? state.held.takeAll() : [])
      }
      giveBack(late)
      return found
    }
    return state.withLock { state in
      state.isClosed ? .nothing : hold(take(), replacing: older, &state)
    }
  }

  private func hold(_ taken: TakenTurn, replacing older: TurnBase?, _ state: inout State)
    -> TakenTurn
  {
    if case .nothing = taken { return .nothing }
    let isLate = state.late.takeOne(from: place)
    guard case .element(let turn) = taken else { return .skipped }
    turn.isLate = isLate || state.count > 0
    state.held.append(turn)
    // If the call is closed, the older one was given back, too, and is superseded by nothing.
    if let older, !state.isClosed {
      _ = state.release(older, into: .over)
      older.noteSuperseded()
    }
    return state.isClosed ? .nothing : taken
  }

  /// Supersedes one that is held.
  func supersede(_ turn: TurnBase) {
    let isSuperseded = state.withLock { !$0.isClosed && $0.release(turn, into: .over) }
    if isSuperseded { turn.noteSuperseded() }
  }

  /// Decides what becomes of an element that is held.
  ///
  /// - Parameter ahead: The next one, if it is held, too.
  func decide(_ turn: TurnBase, as overlap: Overlap, before ahead: TurnBase? = nil) -> Verdict {
    var (begins, older) = (false, OlderTurns())
    let verdict = state.withLock { state -> Verdict in
      if state.isClosed { return .closed }
      state.hasOneAhead = ahead != nil
      if overlap == .firstOnly, turn.isLate {
        _ = state.release(turn, into: .over)
        return .ignored
      }
      if overlap == .latestOnly { older = state.supersede() }
      if overlap == .latestOnly || rules.overlap == nil && overlap != .oneAtATime {
        state.current.append(turn)
      }
      state.count += 1
      ahead?.isLate = true
      begins = !exchange(&state.isExpecting, with: false)
      return .begins(after: older)
    }
    // In this order: it does not cease to be busy.
    for turn in older.superseded { turn.noteSuperseded() }
    if begins { busy?.begin() }
    if !older.superseded.isEmpty { busy?.end(older.superseded.count) }
    return verdict
  }

  /// Begins work. False if the element was given back, or is superseded.
  func begin(_ turn: TurnBase) -> Bool {
    state.withLock { state in
      if rules.overlap == nil, turn.overlap == .oneAtATime { state.current.append(turn) }
      return state.release(turn, into: turn.phase == .held ? .begun : .over)
    }
  }

  /// Whether the answer would count now.
  func isWanted(_ turn: TurnBase) -> Bool {
    state.withLock { !$0.isClosed && turn.phase == .begun }
  }

  /// Ends a turn whose work is done. True if its answer is to be published now.
  func end(_ turn: TurnBase) -> Bool {
    var (isReported, isSuperseded) = (false, false)
    let ends = state.withLock { state -> Bool in
      guard !state.isClosed, turn.phase == .begun else { return false }
      turn.phase = .over
      state.count -= 1
      let isReadable = rules.looksFurther && (state.hasOneAhead || place?.isReadable == true)
      if rules.notesReady, let place { state.late = LateElements(readyIn: place) }
      isReported = !isReadable || !rules.isBusyBetween || state.isExpecting
      if !isReported { state.isExpecting = true }
      // What was sent before an answer is published supersedes it.
      isSuperseded = rules.supersedesAtArrival && isReadable && place?.isPlain == true
      return true
    }
    // The loop may not have had time to look at what has come.
    if isSuperseded { turn.noteSuperseded() }
    if isReported { busy?.end() }
    return ends && !isSuperseded
  }

  /// Ends those that a newer element supersedes, which has come and cannot be taken yet.
  func supersedeAll() -> OlderTurns {
    let older = state.withLock { $0.supersede() }
    for turn in older.superseded { turn.noteSuperseded() }
    if !older.superseded.isEmpty { busy?.end(older.superseded.count) }
    return older
  }

  /// Reports busy from now on, although what has come cannot be taken yet.
  func expect() {
    let begins = state.withLock { !$0.isClosed && !exchange(&$0.isExpecting, with: true) }
    if begins { busy?.begin() }
  }

  /// Reports that it is not busy any more if nothing has followed.
  func settle() {
    guard let busy else { return }
    let ends = state.withLock { state in
      guard state.isExpecting, !state.hasOneAhead, place?.isReadable != true else { return false }
      state.isExpecting = false
      return true
    }
    if ends { busy.end() }
  }

  /// The call was cancelled: nothing is begun any more, and no answer counts.
  func close() {
    let (held, current) = state.withLock { state in
      state.isClosed = true
      return (state.held.takeAll(), state.current.all)
    }
    giveBack(held)
    busy?.close()
    for turn in current { turn.cancel() }
  }

  private func giveBack(_ turns: [TurnBase]) {
    place?.giveBack(turns.map(\.returned))
  }

  /// Those whose tasks may not be done.
  var current: [TurnBase] { state.withLock { $0.current.all } }

  /// Removes one for which nothing more is done.
  func remove(_ turn: TurnBase) {
    // What is removed may be destroyed, which must not happen under the lock.
    let (removed, waiting) = state.withLock { state in
      let removed = state.current.remove(turn)
      return (removed, state.current.all.isEmpty ? state.waiting.take() : nil)
    }
    withExtendedLifetime(removed) { waiting?.resume() }
  }

  /// To be called by one task at a time.
  func untilNoneIsCurrent() async {
    await withCheckedContinuation { continuation in
      let isNone = state.withLock { state in
        if !state.current.all.isEmpty { state.waiting = continuation }
        return state.current.all.isEmpty
      }
      if isNone { continuation.resume() }
    }
  }

  func reportLater(in isolation: (any Actor)?, priority: TaskPriority) {
    busy?.tellLater(in: isolation, priority: priority)
  }

  func leave() {
    close()
    busy?.tell()
    busy?.leave()
  }
}
