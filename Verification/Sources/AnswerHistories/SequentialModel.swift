import AsyncChannelsRunning

/// What `answer` promises, without tasks: one step after the other, and after each everything that follows from it.
struct SequentialModel {
  private struct Call {
    var isCancelled = false
    var hasReturned = false
    /// When it will have been quiet for long enough; nil if nothing waits for that. Times are in half units.
    var pauseEnd: Int?
    /// When the work on elements is called again that has failed.
    var retryTimes: [Int: Int] = [:]
    /// Elements that are worked on, and whether their answers count.
    var works: [Int: Bool] = [:]
    /// Taken, and waits for the work before it.
    var held: Int?
    /// Taken, and wait for the one before with the same key.
    var inLine: [Int] = []
    /// How many of those that wait came while work was in progress.
    var late = 0
    /// Those that wait and came while work on one with the same key was in progress.
    var lateByKey: Set<Int> = []

    var isActive: Bool { !isCancelled && !hasReturned }
    var hasWork: Bool { works.values.contains(true) }
    var countsAnswers: Bool { hasWork || held != nil || !isCancelled && !inLine.isEmpty }
    var currentCount: Int { works.values.count { $0 } + inLine.count }
  }

  private let setup: Setup
  private var now = 0
  private var sent = 0
  private var isFinished = false
  private var waiting: [Int] = []
  private var calls: [Call] = []
  /// Taken in this step, and superseded in it: they may have been begun.
  private var doubtful: Set<Int> = []
  private var takenInStep: Set<Int> = []
  private(set) var observation = Observation()

  init(_ setup: Setup) {
    self.setup = setup
  }

  /// The elements that a `complete` may name.
  var underWay: [Int] { observation.underWay.keys.sorted() }

  /// - Parameters:
  ///   - seen: What was seen as soon as `cancel()` had returned. When it comes, any part of what was sent
  ///     just before may have been begun.
  ///   - got: What is seen at its end, of which only what may differ is believed.
  /// - Returns: Why that cannot be.
  mutating func apply(_ step: Step, seen: Observation, got: Observation) -> String? {
    observation.events = []
    (doubtful, takenInStep) = ([], [])
    var reason: String?
    switch step {
    case .send(let count): send(count)
    case .run: run()
    case .complete(let number): complete(number)
    case .advance(let time):
      let end = now + 2 * time
      while let next = nextTime, next <= end {
        now = next
        retry()
        proceed()
      }
      now = end
    case .cancel(let count, _, let thenRun):
      reason = cancel(afterSending: count, seen: seen, got: got)
      if thenRun { run() }
    case .finish: isFinished = true
    }
    proceed()
    believe(got)
    for index in calls.indices where calls[index].works.isEmpty && calls[index].inLine.isEmpty {
      let call = calls[index]
      if call.isCancelled || isFinished && waiting.isEmpty { calls[index].hasReturned = true }
    }
    observe()
    return reason
  }

  private var active: Call? { calls.last.flatMap { $0.isActive ? $0 : nil } }

  private mutating func send(_ count: Int) {
    guard !isFinished else { return }
    waiting += sent..<sent + count
    sent += count
    if let newest = waiting.last, let pause = setup.pause(after: newest), count > 0,
      active?.pauseEnd != nil
    {
      calls[calls.count - 1].pauseEnd = now + 2 * pause
    }
  }

  private var nextTime: Int? {
    guard let active else { return nil }
    return ([active.pauseEnd].compactMap { $0 } + active.retryTimes.values).min()
  }

  /// The work that has failed is called again.
  private mutating func retry() {
    let index = calls.count - 1
    for (element, time) in calls[index].retryTimes where time <= now {
      calls[index].retryTimes[element] = nil
      observation.begun.append(element)
      if setup.kind(of: element) == .isImmediate { answer(element) }
    }
  }

  private mutating func run() {
    if active == nil { calls.append(Call()) }
  }

  private mutating func complete(_ number: Int) {
    guard let index = calls.firstIndex(where: { $0.works[number] != nil }) else { return }
    if calls[index].works[number] == true {
      answer(number)
    } else {
      calls[index].works[number] = nil
      if calls[index].isCancelled { beginCancelled(in: index) }
    }
  }

  /// Those in line begin in the cancelled call when the one before has ended.
  private mutating func beginCancelled(in index: Int) {
    while let next = calls[index].inLine.first(where: { next in
      calls[index].works.keys.allSatisfy { setup.key(of: $0) != setup.key(of: next) }
    }) {
      calls[index].inLine.removeAll { $0 == next }
      observation.begun.append(next)
      if setup.kind(of: next) == .endsWhenTold { calls[index].works[next] = false }
    }
  }

  /// The active call takes what it can.
  private mutating func proceed() {
    while let call = active {
      let index = calls.count - 1
      if let held = call.held {
        if setup.keyed != nil ? !hasPlace(for: held) : call.hasWork { return }
        calls[index].held = nil
        if setup.keyed != nil {
          decideByKey(held)
          continue
        }
        begin(held)
      }
      if setup.keyed == nil, call.currentCount >= setup.limit { return }
      if waiting.isEmpty
        || setup.keyed == nil
          && calls[index].works.contains(where: { isAlone($0.key, countsAnswer: $0.value) })
      {
        return
      }
      if let pause = waiting.last.flatMap(setup.pause(after:)) {
        if setup.overlap == .latestOnly { supersede() }
        calls[index].pauseEnd = call.pauseEnd ?? now + 2 * pause
        reportBusy()
        guard isFinished || calls[index].pauseEnd! <= now else { return }
        calls[index].pauseEnd = nil
      }
      let takesNewest = setup.pause != nil || setup.overlap == .latestOnly
      let element = takesNewest ? waiting.last! : waiting.first!
      waiting.removeFirst(takesNewest ? waiting.count : 1)
      if isSupersededByNext(element) {
        calls[index].late = max(0, calls[index].late - 1)
      } else {
        take(element)
      }
    }
  }

  private func hasRival(_ element: Int) -> Bool {
    let call = calls[calls.count - 1]
    return (call.works.filter(\.value).keys + call.inLine).contains {
      setup.key(of: $0) == setup.key(of: element)
    }
  }

  private func hasPlace(for element: Int) -> Bool {
    let call = calls[calls.count - 1]
    if call.currentCount < setup.limit { return true }
    switch setup.keyed {
    case .firstOnly: return hasRival(element) || call.lateByKey.contains(element)
    case .latestOnly: return hasRival(element)
    default: return false
    }
  }

  private mutating func decideByKey(_ element: Int) {
    let index = calls.count - 1
    let hasRival = hasRival(element)
    switch setup.keyed {
    case .firstOnly where hasRival || calls[index].lateByKey.contains(element):
      return ignore(element)
    case .latestOnly: supersede(key: setup.key(of: element))
    case .oneAtATime where hasRival:
      calls[index].inLine.append(element)
      return reportBusy()
    default: break
    }
    begin(element)
  }

  private mutating func take(_ element: Int) {
    let index = calls.count - 1
    if setup.keyed != nil {
      if hasPlace(for: element) { return decideByKey(element) }
      calls[index].held = element
      return
    }
    let isLate = calls[index].late > 0 || calls[index].countsAnswers
    calls[index].late = max(0, calls[index].late - 1)
    switch setup.overlap(of: element) {
    case .firstOnly: if isLate { return ignore(element) }
    case .latestOnly: supersede()
    case .oneAtATime:
      if calls[index].hasWork {
        calls[index].held = element
        return
      }
    case .concurrent: break
    }
    begin(element)
  }

  /// Whether what waits behind it supersedes it before it begins.
  private func isSupersededByNext(_ element: Int) -> Bool {
    guard setup.overlap == nil, setup.keyed == nil, let next = waiting.first else { return false }
    return setup.overlap(of: element) == .latestOnly && setup.overlap(of: next) == .latestOnly
  }

  /// Whether nothing begins beside it.
  private func isAlone(_ element: Int, countsAnswer: Bool) -> Bool {
    countsAnswer && setup.overlap(of: element) == .oneAtATime
  }

  private mutating func begin(_ element: Int) {
    calls[calls.count - 1].works[element] = true
    takenInStep.insert(element)
    observation.begun.append(element)
    reportBusy()
    if setup.fails(element) {
      calls[calls.count - 1].retryTimes[element] = now + 5
    } else if setup.kind(of: element) == .isImmediate {
      answer(element)
    }
  }

  private mutating func ignore(_ element: Int) {
    if setup.tellsIgnored { observation.events.append(.ignored(element)) }
  }

  private mutating func answer(_ element: Int) {
    if setup.overlap == .firstOnly, setup.pause == nil {
      for element in waiting { ignore(element) }
      waiting = []
    }
    calls[calls.count - 1].works[element] = nil
    if setup.overlap == nil { calls[calls.count - 1].late = waiting.count }
    let key = setup.key(of: element)
    if key != nil {
      calls[calls.count - 1].lateByKey.formUnion(waiting.filter { setup.key(of: $0) == key })
    }
    reportBusy()
    observation.events.append(.published(element))
    if let key, let next = calls[calls.count - 1].inLine.first(where: { setup.key(of: $0) == key })
    {
      calls[calls.count - 1].inLine.removeAll { $0 == next }
      begin(next)
    }
  }

  /// The work under way in the newest call has no answer any more. It ends if it heeds its cancellation.
  ///
  /// - Parameter key: That of the work; nil for all.
  private mutating func supersede(key: Int? = nil) {
    let index = calls.count - 1
    let works = calls[index].works.keys.filter { key == nil || setup.key(of: $0) == key }
    for element in works {
      calls[index].retryTimes[element] = nil
      if setup.overlap == nil, takenInStep.contains(element) {
        doubtful.insert(element)
        calls[index].works[element] = nil
      } else {
        calls[index].works[element] = setup.kind(of: element) == .endsWhenTold ? false : nil
      }
    }
  }

  /// Takes over whether work was begun that was superseded in the same step.
  private mutating func believe(_ got: Observation) {
    for element in doubtful {
      if !got.begun.contains(element) { observation.begun.removeAll { $0 == element } }
      if got.underWay[element] == true, setup.kind(of: element) == .endsWhenTold {
        calls[calls.count - 1].works[element] = false
      }
    }
  }

  private mutating func reportBusy() {
    guard let call = calls.last else { return }
    let isReady = !waiting.isEmpty && setup.overlap != .firstOnly && setup.pause == nil
    let isInPause =
      setup.busyFromArrival
      && (call.pauseEnd != nil || !waiting.isEmpty && setup.overlap != .firstOnly)
    let isBusy = call.countsAnswers || call.isActive && (isReady || isInPause)
    guard setup.reportsBusy, isBusy != observation.isBusy else { return }
    observation.isBusy = isBusy
    observation.events.append(.busy(isBusy))
  }

  /// What was taken by then, ignored and published is as it was seen; the rest stays. What was taken and not ignored
  /// or superseded is worked on, at the latest after that.
  private mutating func cancel(afterSending count: Int, seen: Observation, got: Observation)
    -> String?
  {
    send(count)
    guard let call = active else { return nil }
    let (taken, left) = (waiting.dropLast(seen.pending), waiting.suffix(seen.pending))
    let begun = taken.filter(got.begun.contains)
    let events = seen.events.filter { !$0.isBusyReport }
    let reason = doubt(begun, gone: taken.filter { !begun.contains($0) }, events, in: call)
    observation.events += events
    waiting = Array(left)
    let index = calls.count - 1
    // What waits for others is worked on now; what waits for others with its key, when they have ended.
    let held = call.held.map { [$0] } ?? []
    let inLine = setup.keyed == .oneAtATime ? held.filter(hasRival) : []
    calls[index].inLine += inLine
    for number in begun + held where !inLine.contains(number) {
      observation.begun.append(number)
      calls[index].works[number] = true
    }
    tellAbandoned(got, afterSending: count, begun)
    supersede()
    calls[index].held = nil
    calls[index].isCancelled = true
    beginCancelled(in: index)
    calls[index].pauseEnd = nil
    reportBusy()
    return reason
  }

  /// All that has no fate when the call is cancelled is abandoned, unless a newer one superseded it just before.
  private mutating func tellAbandoned(_ got: Observation, afterSending count: Int, _ begun: [Int]) {
    guard setup.tellsAbandoned else { return }
    let call = calls[calls.count - 1]
    var open = (call.works.filter(\.value).keys + call.inLine).sorted()
    open.removeAll { observation.events.contains(.published($0)) }
    if setup.overlap == .latestOnly, setup.pause != nil, count > 0 {
      open.removeAll { !got.events.contains(.abandoned($0)) }
    }
    if setup.overlap == .latestOnly, let newest = begun.last { open = open.filter { $0 == newest } }
    observation.events += open.map { .abandoned($0) }
  }

  /// Why that cannot have been seen.
  ///
  /// - Parameters:
  ///   - begun: What was taken and worked on.
  ///   - gone: What was taken and not worked on.
  private func doubt(_ begun: [Int], gone: [Int], _ events: [Event], in call: Call) -> String? {
    let quick = begun.filter { setup.kind(of: $0) == .isImmediate && !setup.fails($0) }
    let ignored = events.compactMap { if case .ignored(let number) = $0 { number } else { nil } }
    let published = events.compactMap {
      if case .published(let number) = $0 { number } else { nil }
    }
    if !published.allSatisfy(quick.contains) { return "\(published) have answers, of \(quick)" }
    if setup.tellsIgnored, ignored != (setup.overlap == .firstOnly ? gone : []) {
      return "\(ignored) are ignored, and \(gone) are gone"
    }
    if begun + gone == [] { return nil }
    if setup.pause != nil { return "the pause was not over" }
    let isRight =
      switch setup.overlap {
      case .oneAtATime:
        gone == [] && call.works.isEmpty && quick.starts(with: begun.dropLast())
      case .latestOnly: begun == waiting.suffix(1)
      case .firstOnly:
        call.countsAnswers ? begun == [] : begun.count == 1 && waiting.first == begun.first
      case .concurrent: gone == []
      case nil: false
      }
    return isRight ? nil : "of \(waiting) \(begun) were begun, and \(gone) are gone"
  }

  private mutating func observe() {
    reportBusy()
    observation.begun.sort()
    observation.underWay = [:]
    for call in calls {
      let works = call.works.filter { call.retryTimes[$0.key] == nil }
      observation.underWay.merge(works.mapValues { !$0 }) { first, _ in first }
    }
    observation.returnedCalls = calls.count { $0.hasReturned }
    observation.pending = waiting.count
    if setup.mayAnswerTogether { observation.sortAnswers() }
  }
}
