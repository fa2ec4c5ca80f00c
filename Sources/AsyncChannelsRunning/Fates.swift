import AsyncChannels
import Synchronization

/// Decides the fate of each element that one call of `answer` has taken, each in one step under one lock.
///
/// `cancel()` comes through this lock, too. So a call takes an element before that, or not at all, and what it has
/// taken is worked on, unless it is superseded or ignored. (A derived subscription runs its closures when it takes.
/// So that is done without the lock, and what is taken while the call is cancelled is decided after that.) No task
/// is resumed, and no code of a user run, with the lock held.
///
/// Order of locks: that of the task which is cancelled, this one, the cursor's, the log's.
final class Fates: Sendable {
  /// The loop, which waits until fewer than so many are current. An object, so that what is done for each element does
  /// not look into it.
  private final class WaitingLoop: Sendable {
    let continuation: CheckedContinuation<Void, Never>
    let count: Int

    init(_ continuation: CheckedContinuation<Void, Never>, _ count: Int) {
      (self.continuation, self.count) = (continuation, count)
    }
  }

  private struct State {
    var isClosed = false
    /// How many elements were taken.
    var takenCount = 0
    /// How many takes are under way that are made without the lock.
    var takes = 0
    /// Taken last, while it is not known yet whether the next one supersedes it, or what its overlap is.
    var undecided: AnyWork?
    /// Those whose answers may be published, or are being published.
    var current = Works()
    /// How many of them have no fate yet.
    var openCount = 0
    /// Those whose tasks are not done.
    var superseded = Works()
    /// Those of which nobody was told yet.
    var abandoned: [AnyWork] = []
    /// Of each key, the newest that has no fate.
    var newestOf: [AnswerKey: AnyWork] = [:]
    /// Resumed when fewer are current, or the call is cancelled.
    var waiting: WaitingLoop?
    var late = LateElements()
    /// Whether busy is reported although there is no work, since some is expected.
    var isExpecting = false

    /// Supersedes all that are current and have no fate, or the one with a key.
    mutating func supersede(_ key: AnswerKey? = nil) -> [AnyWork] {
      let all = key.map { newestOf[$0].map { [$0] } ?? [] } ?? current.all
      let older = all.filter { $0.fate == nil }
      for work in older {
        work.fate = .superseded
        _ = current.remove(work)
        if work.isBegun { superseded.append(work) }
      }
      openCount -= older.count
      return older
    }

    mutating func abandon(_ work: AnyWork) {
      guard work.fate == nil else { return }
      work.fate = .abandoned
      abandoned.append(work)
    }
  }

  /// What is to be told of a decision when the lock is released.
  private struct Decision {
    var isIgnored = false
    var begins = false
    var superseded: [AnyWork] = []
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

  /// The element that was taken and not decided.
  var undecided: AnyWork? { state.withLock { $0.undecided } }

  /// Takes an element that is there. It supersedes one that is undecided.
  ///
  /// - Parameter overlap: Nil if the element is decided later.
  func take(as overlap: Overlap?, _ take: () -> TakenWork) -> TakenWork {
    var (taken, decision, older) = (TakenWork.nothing, Decision(), AnyWork?.none)
    if place?.isPlain == true {
      state.withLock { state in
        if state.isClosed { return }
        taken = take()
        (decision, older) = add(taken, as: overlap, to: &state)
      }
    } else {
      // What another sequence has given cannot be left there.
      let takes = state.withLock { state in
        let takes = !state.isClosed || place == nil
        if takes { state.takes += 1 }
        return takes
      }
      guard takes else { return .nothing }
      taken = take()
      state.withLock { state in
        state.takes -= 1
        (decision, older) = add(taken, as: overlap, to: &state)
      }
    }
    older?.note { .superseded($0) }
    tell(decision)
    if decision.isIgnored, case .work(let work) = taken { return .ignored(work) }
    return taken
  }

  private func add(_ taken: TakenWork, as overlap: Overlap?, to state: inout State)
    -> (Decision, superseding: AnyWork?)
  {
    if case .nothing = taken { return (Decision(), nil) }
    let arrival = state.late.takeOne(from: place)
    guard case .work(let work) = taken else { return (Decision(), nil) }
    state.takenCount += 1
    work.number = state.takenCount
    work.arrival = arrival
    work.isLate = state.openCount > 0
    if let overlap { return (decide(work, as: overlap, in: &state), nil) }
    let older = exchange(&state.undecided, with: work)
    older?.fate = .superseded
    return (Decision(), older)
  }

  /// Decides whether an element that was undecided is worked on.
  func decide(_ work: AnyWork, as overlap: Overlap) -> Bool {
    let decision = state.withLock { state in
      state.undecided = nil
      return decide(work, as: overlap, in: &state)
    }
    tell(decision)
    return !decision.isIgnored
  }

  private func decide(_ work: AnyWork, as overlap: Overlap, in state: inout State) -> Decision {
    var decision = Decision()
    if overlap == .oneAtATime, let key = work.key { work.previous = state.newestOf[key] }
    if state.isClosed {
      state.abandon(work)
    } else if overlap == .firstOnly, isLate(work, in: state) {
      work.fate = .ignored
      decision.isIgnored = true
      return decision
    } else {
      if overlap == .latestOnly { decision.superseded = state.supersede(work.key) }
      if let key = work.key { state.newestOf[key] = work }
      state.openCount += 1
      decision.begins = !exchange(&state.isExpecting, with: false)
    }
    state.current.append(work)
    return decision
  }

  private func isLate(_ work: AnyWork, in state: State) -> Bool {
    let isBusy = work.key.map { state.newestOf[$0] != nil } ?? work.isLate
    return isBusy || state.late.isLate(work.arrival, work.key)
  }

  /// Whether it does not begin beside others, but replaces one or is ignored.
  func needsNoPlace(_ work: AnyWork) -> Bool {
    state.withLock { state in
      switch work.overlap {
      case .firstOnly: isLate(work, in: state)
      case .latestOnly: work.key.map { state.newestOf[$0] != nil } == true
      case .oneAtATime, .concurrent: false
      }
    }
  }

  private func tell(_ decision: Decision) {
    for work in decision.superseded { work.note { .superseded($0) } }
    // In this order: it does not cease to be busy.
    if decision.begins { busy?.begin() }
    end(decision.superseded)
  }

  /// Ends work that was superseded.
  private func end(_ superseded: [AnyWork]) {
    if !superseded.isEmpty { busy?.end(superseded.count) }
    for work in superseded { work.cancel() }
  }

  /// Whether its answer would be published now.
  func isWanted(_ work: AnyWork) -> Bool { state.withLock { _ in work.fate == nil } }

  /// Whether it was superseded before its work has begun.
  func isSuperseded(_ work: AnyWork) -> Bool { state.withLock { _ in work.fate == .superseded } }

  /// Decides whether an answer is published, now.
  func answer(_ work: AnyWork) -> Bool {
    let (fate, isReported) = state.withLock { answer(work, in: &$0) }
    // The loop may not have had time to look at what has come.
    if fate == .superseded { work.note { .superseded($0) } }
    if isReported { busy?.end() }
    return fate == .answered
  }

  /// Its fate, unless it had one, and whether the end of its work is reported.
  private func answer(_ work: AnyWork, in state: inout State) -> (Fate?, isReported: Bool) {
    guard work.fate == nil else { return (nil, false) }
    state.openCount -= 1
    let isReadable = rules.looksFurther && (state.undecided != nil || place?.isReadable == true)
    if rules.notesReady, let place { state.late.note(readyIn: place, work.key) }
    if let key = work.key, state.newestOf[key] === work { state.newestOf[key] = nil }
    let isReported = !isReadable || !rules.isBusyBetween || state.isExpecting
    if !isReported { state.isExpecting = true }
    // What was sent before an answer is published supersedes it.
    let isSuperseded = rules.supersedesAtArrival && isReadable && place?.isPlain == true
    if work.endedCancelled { state.abandon(work) }
    if work.fate == nil { work.fate = isSuperseded ? .superseded : .answered }
    return (work.fate, isReported)
  }

  /// Supersedes all by a newer one that has come and cannot be taken yet.
  func supersedeAll() { tell(Decision(superseded: state.withLock { $0.supersede() })) }

  /// Reports busy from now on, although what has come cannot be taken yet.
  func expect() {
    let begins = state.withLock { !$0.isClosed && !exchange(&$0.isExpecting, with: true) }
    if begins { busy?.begin() }
  }

  /// Reports that it is not busy any more if nothing has followed.
  func settle() {
    guard let busy else { return }
    let ends = state.withLock { state in
      guard state.isExpecting, state.undecided == nil, place?.isReadable != true else {
        return false
      }
      state.isExpecting = false
      return true
    }
    if ends { busy.end() }
  }

  /// The call was cancelled: it takes nothing more, and no answer is published.
  func close() {
    let (works, waiting) = state.withLock { state in
      state.isClosed = true
      state.openCount = 0
      for work in state.current.all { state.abandon(work) }
      // One that is being taken may supersede it.
      if state.takes == 0, let undecided = state.undecided { state.abandon(undecided) }
      return (state.current.all, state.waiting.take())
    }
    busy?.close()
    for work in works { work.cancel() }
    waiting?.continuation.resume()
  }

  /// Those whose tasks may not be done.
  var unfinished: [AnyWork] { state.withLock { $0.current.all + $0.superseded.all } }

  /// Nothing more is done for it.
  func finish(_ work: AnyWork) {
    let waiting = state.withLock { state -> WaitingLoop? in
      if !state.current.remove(work) { _ = state.superseded.remove(work) }
      guard let waiting = state.waiting, state.current.all.count < waiting.count else { return nil }
      state.waiting = nil
      return waiting
    }
    waiting?.continuation.resume()
    // With its element it may be destroyed, which must not happen under the lock.
    withExtendedLifetime(work) {}
  }

  /// Waits until fewer answers are to come, also since the call is cancelled. To be called by the loop.
  func untilFewerAreCurrent(than count: Int = 1) async {
    await withCheckedContinuation { continuation in
      let waits = state.withLock { state in
        let waits = state.current.all.count >= count && !state.isClosed
        if waits { state.waiting = WaitingLoop(continuation, count) }
        return waits
      }
      if !waits { continuation.resume() }
    }
  }

  /// Those that were abandoned and of which nobody was told yet, in the order in which they were taken.
  func takeAbandoned() -> [AnyWork] {
    state.withLock { exchange(&$0.abandoned, with: []) }.sorted { $0.number < $1.number }
  }

  func reportBusy() { busy?.tell() }

  func leave() {
    close()
    busy?.tell()
    busy?.leave()
  }
}
