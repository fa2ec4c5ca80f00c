"""The faults that plant-faults plants: small changes of the sources, each of which must be caught.

(name, file below Sources/AsyncChannels, the text as it is, the text with the fault, and, of what no
program of the verification looks at, which tests to run). The text must be found exactly once, so that a
fault that no longer applies is noticed.
"""

POSITION = "AsyncChannelsTests.PositionTests"
WAKING = "AsyncChannelsTests.(WakingTests|ReentrancyTests)"
LOOKING_ON = "AsyncChannelsTests.LookingOnTests"
REPLACED = "AsyncChannelsTests.ReplacedElementTests"
SHARING = "AsyncChannelsTests.SharingAnActorTests"
DERIVED = "AsyncChannelsTests.DerivedStateTests"
RECORDING = "AsyncChannelsTests.(RecordingTests|CauseTests|DescriberTests)"

FAULTS = [
    # The order of a segment's slots, and their counts.
    ("a full segment is noticed one slot late", "LogState.swift",
     "if end.index == end.segment.capacity {", "if end.index == end.segment.capacity + 1 {"),
    ("a full segment keeps the log's hold", "LogState.swift",
     "    full.release()\n", ""),
    ("a full segment is not linked to the next", "LogState.swift",
     "    full.link(next)\n", ""),
    ("a slot is owed to one reader too few", "LogState.swift",
     "countsAll ? readers : 0)", "countsAll ? max(1, readers - 1) : 0)"),
    ("a slot is owed to one reader too many", "LogState.swift",
     "countsAll ? readers : 0)", "countsAll ? readers + 1 : 0)"),
    ("an element that is not trivial is not counted", "LogState.swift",
     "!_isPOD(Element.self) || countsAll", "countsAll"),
    ("a trivial element is not counted for those who ask", "LogState.swift",
     "!_isPOD(Element.self) || countsAll", "!_isPOD(Element.self)"),
    ("registration is counted, but not undone", "LogState.swift",
     "    readers -= 1\n", ""),
    ("a reader begins one slot early", "Joined.swift",
     "(number, firstInLog) = (published, published)",
     "(number, firstInLog) = (max(0, published - 1), published)"),
    ("the last of several readers does not destroy", "Segment.swift",
     "      place.deinitialize(count: 1)\n", ""),
    ("a reader that takes does not count down", "Segment.swift",
     "if pendingReads.pointee.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 {",
     "if pendingReads.pointee.load(ordering: .acquiring) == 0 {"),
    ("a consumer that leaves skips nothing", "Segment.swift",
     "      if let end { segment.skip(Element.self, from: index, to: end.index) }\n",
     "      _ = index\n"),
    ("a consumer that leaves skips in its last segment only", "Segment.swift",
     "        segment.skip(Element.self, from: index, to: segment.capacity)\n", ""),
    ("a consumer that leaves keeps what it has read", "LogCursor.swift",
     "    segment.release()\n"
     "    return nil\n",
     "    return nil\n", POSITION),
    ("a consumer that leaves keeps its segment", "Segment.swift",
     "      if let end { segment.skip(Element.self, from: index, to: end.index) }\n"
     "      segment.release()\n",
     "      if let end { segment.skip(Element.self, from: index, to: end.index) }\n"),
    ("a reader that goes on keeps the segment behind it", "Position.swift",
     "      start.store(UInt32(truncatingIfNeeded: next.start), ordering: .releasing)\n"
     "      segment.release()\n",
     "      start.store(UInt32(truncatingIfNeeded: next.start), ordering: .releasing)\n"),
    ("a segment does not hold the next", "Segment.swift",
     "    next.retain()\n    header.pointee.next", "    header.pointee.next"),
    ("what was replayed ends one slot behind its place", "Segment.swift",
     "capacity: count, start: number - count)", "capacity: count, start: number - count + 1)"),
    ("what was kept holds the log's segment twice", "Joined.swift",
     "    segment?.release()\n", "", POSITION),
    # Sleeping and ringing.
    ("no second look before sleeping", "LogState.swift",
     "    if let queue, queue.count > 0 { return .readable }\n",
     "    if let bell {\n      waiting.join(bell)\n"
     "      bell.mayLinger = position != nil && subscriberCount <= Lingering.fewSubscribers\n"
     "      return .nothing\n    }\n"
     "    if let queue, queue.count > 0 { return .readable }\n"),
    ("a ring is lost while another rings", "LogState.swift",
     "      due.sleepers.append(sleepers)\n"
     "      return due.canBeRung",
     "      return due.canBeRung"),
    ("who rings a few never stops", "BroadcastLogBase+Ringing.swift",
     "    changeDue { $0.isBeingRung = false }\n", ""),
    ("the end wakes nobody", "BroadcastLog.swift",
     "      state.set(.finished, to: true)\n      return state.takeSleepers()",
     "      state.set(.finished, to: true)\n      return .nobody"),
    ("a line that was taken keeps its generation", "WaitQueue.swift",
     "    generation += 1\n", ""),
    ("a consumer that leaves the line stays in it", "WaitQueue.swift",
     "    sleepers.remove(bell)\n", ""),
    ("the actor rings the first few only", "Waker.swift",
     "    while let next = takeNext(hasRung) {", "    if let next = takeNext(hasRung) {", WAKING),
    ("the actor is told once only", "BroadcastLogBase+Ringing.swift",
     "else { due.actorIsTold = false }", "else {}"),
    ("the actor never stops ringing", "BroadcastLogBase+Ringing.swift",
     "if hasRung { due.isBeingRung = false }", "if hasRung {}", WAKING),
    ("the actor is never told", "DueSleepers.swift",
     "    actorIsTold = true\n"
     "    return true\n",
     "    return false\n", WAKING),
    ("the rest of a crowd is left to nobody", "BroadcastLogBase+Ringing.swift",
     "      changeDue { [sleepers] in $0.sleepers.append(sleepers) }\n", "", WAKING),
    ("those that sleep later overtake a crowd", "LogState.swift",
     "    if due.isWaitedFor {\n"
     "      due.sleepers.append(sleepers)\n"
     "      return due.canBeRung ? .due : .nobody\n"
     "    }\n",
     "", WAKING),
    ("a later sender leaves a crowd to the actor", "LogState.swift",
     "return due.canBeRung ? .due : .nobody", "return .nobody", WAKING),
    ("a consumer that wakes does not help to ring", "Waiter.swift",
     "    helpRinging()\n", "", WAKING),
    ("nothing tells a consumer that sleepers are due", "BroadcastLogBase+Ringing.swift",
     "      hasDue.store(state.due.canBeRung, ordering: .relaxed)\n", "", WAKING),
    ("what is evicted is destroyed before others are rung", "BroadcastLog.swift",
     "    perform(wake)\n"
     "    // Destroyed here: with no lock held, and when nobody waits for a ring any more.\n"
     "    _ = consume evicted\n",
     "    _ = consume evicted\n"
     "    perform(wake)\n", REPLACED),
    ("a recorded send destroys what is evicted before it rings", "BroadcastLog+Recording.swift",
     "    perform(wake)\n"
     "    // Destroyed here: with no lock held, and when nobody waits for a ring any more.\n"
     "    _ = consume evicted\n",
     "    _ = consume evicted\n"
     "    perform(wake)\n", REPLACED),
    ("the end destroys what was replayed before it rings", "BroadcastLog.swift",
     "    perform(wake)\n"
     "    if let news { tell(news) }\n"
     "    _ = consume replayed",
     "    _ = consume replayed\n"
     "    perform(wake)\n"
     "    if let news { tell(news) }", REPLACED),
    ("an observer keeps its actor", "Outlet+Observe.swift",
     "      if isolation != nil, share.isUsedUp { await share.pause() }\n", "", SHARING),
    ("a loop over a derived outlet keeps its actor", "Feed.swift",
     "      if isolation != nil, waiter.stint.isOver() { await Task.yield() }\n", "", SHARING),
    ("a loop keeps its actor", "Waiter.swift",
     "    if isolation != nil, stint.isOver() { await Task.yield() }\n", "", SHARING),
    ("a queue is read in one run", "SubscriberQueue.swift",
     "guard count > floor, run < Self.longestRun else", "guard count > floor else", SHARING),
    ("two tasks may share an outlet's iterator", "SoleUse.swift",
     "if isInUse.exchange(true, ordering: .acquiring) { Self.report(elementType()) }",
     "_ = isInUse.exchange(true, ordering: .acquiring)", "AsyncChannelsTests.ProgrammerErrorTests"),
    # A consumer's place: claiming and finishing.
    ("an older consumer may ask again", "Waiter.swift",
     "      guard newest <= ticket else { return nil }\n", ""),
    ("an older consumer takes with the lock", "Waiter.swift",
     "excluding(ticket) { newest == ticket ? body() : nil }", "excluding(ticket) { body() }"),
    ("a claim does not compare the tickets", "Position.swift",
     "return UInt32(truncatingIfNeeded: word) == UInt32(truncatingIfNeeded: ticket) ? word : nil",
     "return word"),
    ("a claim stores where it should exchange", "Position.swift",
     "      guard word.compareExchange(expected: old, desired: new, ordering: .acquiring).exchanged\n"
     "      else { return nil }\n",
     "      word.store(new, ordering: .relaxed)\n", POSITION),
    ("all iterators have one ticket", "Waiter.swift",
     "lastTicket.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue",
     "lastTicket.load(ordering: .relaxed) + 1"),
    ("no claim is finished", "Position.swift",
     "    finished.store(count &+ UInt32(truncatingIfNeeded: claim.count), ordering: .releasing)\n",
     "    _ = count\n", POSITION),
    ("several slots are finished as one", "Position.swift",
     "finished.store(count &+ UInt32(truncatingIfNeeded: claim.count),", "finished.store(count &+ 1,",
     POSITION),
    ("a newer consumer does not look for a claim", "LogCursor.swift",
     "    if parked == nil { _ = closeIfUnfinished() }\n",
     "    if parked == nil { _ = position.close() }\n", POSITION),
    ("a newer consumer does not close the place", "LogCursor.swift",
     "    let old = position.close()\n",
     "    let old = position.word.load(ordering: .relaxed)\n", POSITION),
    ("a place is opened before all claims are finished", "LogCursor.swift",
     "      guard position.finished.load(ordering: .acquiring) == parked.until else { return }\n",
     "", POSITION),
    ("the segment of a claim is not held", "LogCursor.swift",
     "      segment.retain()\n"
     "      parked =",
     "      parked =", POSITION),
    ("the segment of a finished claim is kept", "LogCursor.swift",
     "      parked.segment.release()\n"
     "      self.parked",
     "      self.parked", POSITION),
    ("a consumer that leaves keeps the segment of a claim", "LogCursor.swift",
     "    if let parked { parked.segment.release() }\n", "", POSITION),
    ("a task leaves a segment in which another has claimed", "LogCursor.swift",
     "    if parked == nil, position.hasUnfinishedClaims {", "    if false {", POSITION),
    ("slots beyond the reach are known", "Position.swift",
     "let ready = min(new, Int32(bitPattern: reach.load(ordering: .acquiring) &- number))", "let ready = new"),
    ("a reader reaches the end of a long segment at once", "Position.swift",
     "let end = min(segment.end, number + Self.longestRun)", "let end = segment.end", POSITION),
    ("a closed place claims a slot twice", "Position.swift",
     "Self.word(number: next &+ 1, ticket: Self.nobody)",
     "Self.word(number: next, ticket: Self.nobody)", POSITION),
    ("all iterators think that they are alone", "Subscription.swift",
     "self.init(feed, ticket: feed.waiter.makeTicket())",
     "self.init(feed, ticket: Position.onlyTicket)"),
    # Displacing and cancelling.
    ("a newer consumer displaces nobody", "Waiter.swift",
     "      if isAsleep { displaced = dropBell() }\n", ""),
    ("a consumer that is displaced is not rung", "Waiter.swift",
     "    displaced?.ring()\n", "    _ = displaced\n"),
    ("a doorbell that is dropped stays in the line", "Waiter.swift",
     "    if let bell { leaveQueue(bell) }\n", ""),
    ("a newer consumer sleeps on the displaced one's doorbell", "Waiter.swift",
     "    isAsleep = false\n    return bell.take()\n", "    isAsleep = false\n    return bell\n"),
    ("a consumer that wakes does not look at the doorbell", "Waiter.swift",
     "guard bell === self.bell else { return nil }", "guard isAsleep else { return nil }"),
    ("a consumer that is cancelled while asleep keeps the doorbell", "Waiter.swift",
     "      if isCancelled { _ = dropBell() }\n", ""),
    ("a consumer that is cancelled while asleep looks again", "Waiter.swift",
     "return isCancelled == false", "return isCancelled != nil"),
    ("a consumer that is cancelled displaces all the same", "Waiter.swift",
     "    if Task.isCancelled {\n      note(.cancelled)\n      return false\n    }\n", ""),
    ("a consumer that is cancelled while it looks on takes what it sees", "Waiter.swift",
     "return (look == .readable && !Task.isCancelled, bell)", "return (look == .readable, bell)", LOOKING_ON),
    ("a consumer that looks on never stops", "Lingering.swift",
     "while CurrentThread.uptime &- start < nanoseconds", "while true"),
    ("a consumer looks on however often it was useless", "Lingering.swift",
     "    rest = abstention\n", ""),
    # The log's lock, and what is one step under it.
    ("a queue is read without the lock", "Cursor.swift",
     "untypedLog.state.withLock { state -> (Element?, [Origin]) in\n      let element = remove(queue)\n"
     "      guard element != nil, state.isRecorded else { return (element, []) }\n"
     "      return (element, notePopping(from: queue, in: state))\n    }\n",
     "(remove(queue), [Origin]())\n"),
    ("sleepers are taken before the element is stored", "BroadcastLog.swift",
     "    state.withLock { state in\n"
     "      guard state.isPlain else { return (nil, .nobody) }\n"
     "      return store(element, replayed: replayed, in: &state, evicting: &evicted)\n"
     "    }\n",
     "    let early = state.withLock { $0.takeSleepers() }\n"
     "    let subscribers: Int? = state.withLock { state in\n"
     "      guard state.isPlain else { return nil }\n"
     "      return store(element, replayed: replayed, in: &state, evicting: &evicted).subscribers\n"
     "    }\n"
     "    return (subscribers, early)\n"),
    ("a slot is published before it is written", "BroadcastLog.swift",
     "      publish(upTo: state.writeSlot(element))\n",
     "      publish(upTo: (state.end?.number ?? 0) + 1)\n"
     "      _ = state.writeSlot(element)\n"),
    ("registration comes after the window's snapshot", "BroadcastLog.swift",
     "    var joined = state.withLock { state in\n",
     "    var window = ReplayWindow<Element>(limit: 0)\n"
     "    state.withLock { _ in self.window.elements.forEach { window.elements.append($0) } }\n"
     "    var joined = state.withLock { state in\n"),
    # Policies, replay and the end.
    ("the newest policy keeps one too many", "SubscriberQueue.swift",
     "case .bufferingNewest(let limit) where count == limit:",
     "case .bufferingNewest(let limit) where count == limit + 1:"),
    ("the oldest policy keeps one too few", "SubscriberQueue.swift",
     "case .bufferingOldest(let limit) where count == limit:",
     "case .bufferingOldest(let limit) where count >= limit - 1:"),
    ("what the oldest policy drops is not counted", "SubscriberQueue.swift",
     "      droppedCount += 1\n      return\n", "      return\n"),
    ("a queue that takes a left one's place is not told", "LogState.swift",
     "      last.index = index\n", ""),
    ("the replay window holds one too many", "ReplayWindow.swift",
     "if elements.count == limit {", "if elements.count == limit + 1 {"),
    ("the replay window outlives the end", "BroadcastLog.swift",
     "if !keepingNewest, window.limit > 0 { replayed = window.takeAll() }", "_ = keepingNewest"),
    ("a consumer that joins after the end joins", "BroadcastLog.swift",
     "      guard !state.isFinished else { return joined }\n", ""),
    ("a finished log takes elements", "LogState.swift",
     "isPlain: Bool { flags.isEmpty }", "isPlain: Bool { flags.subtracting(.finished).isEmpty }"),
    # State.
    ("observers are told only once until the next read", "ObservedValue.swift",
     "if readers.load(ordering: .relaxed) != Self.nobody { tellObservers() }",
     "if readers.exchange(Self.nobody, ordering: .relaxed) != Self.nobody { tellObservers() }"),
    ("a write does not wait for an update", "LogState.swift",
     "isPlain: Bool { flags.isEmpty }", "isPlain: Bool { flags.subtracting(.updating).isEmpty }"),
    ("a merge that wakes keeps its places in the queues", "MergedCursor.swift",
     "  override func wake() { leaveQueues() }\n", "", DERIVED),
    ("a merge does not go on to the next segment of a source", "MergedCursor.swift",
     "take = { cursor.lookAndTake($0, as: Position.onlyTicket).map(wrap) }",
     "take = { _ in cursor.take(as: Position.onlyTicket).map(wrap) }"),
    ("a merge sleeps on branches that a sender may have", "MergedCursor.swift",
     "  override func look(asks: Bool, orJoinWith bell: Doorbell?) -> Look {\n"
     "    guard let bell else { return look { sources[$0].cursor.look(asks: asks, orJoinWith: nil) } }\n"
     "    assert(branches.isEmpty, \"A branch that stays in a queue outlives its consumer.\")\n"
     "    branches = sources.map { _ in Doorbell(branchOf: bell) }\n",
     "  private var kept: (bell: Doorbell, branches: [Doorbell])?\n"
     "  override func look(asks: Bool, orJoinWith bell: Doorbell?) -> Look {\n"
     "    guard let bell else { return look { sources[$0].cursor.look(asks: asks, orJoinWith: nil) } }\n"
     "    if kept?.bell !== bell {\n"
     "      kept = (bell, sources.map { _ in Doorbell(branchOf: bell) })\n"
     "    }\n"
     "    branches = kept!.branches\n", DERIVED),
    ("a merge that finds something stays in the queues", "MergedCursor.swift",
     "    if look != .nothing { leaveQueues() }\n", "", DERIVED),
    ("a constant part of derived state claims each change", "StateOutlet.swift",
     "makeGate: { { $0.changed == nil } }", "makeGate: { { _ in true } }", DERIVED),
    ("a merge always begins with its first source", "MergedCursor.swift",
     "      start = number + 1\n", "", DERIVED),
    ("a merge looks at one source only", "MergedCursor.swift",
     "      case .nothing: if result == .finished { result = .nothing }\n",
     "      case .nothing: return .nothing\n", DERIVED),
    ("a state that has ended is waited for", "StateRoot.swift",
     "cursor.isPastTheEnd ? StateValue(value: root.log.newest) : nil", "Optional<StateValue<Value>>.none"),
    # Requests.
    ("a request that is dropped keeps its asker waiting", "Request.swift", "    answer.finish()\n", "",
     "AsyncChannelsTests.RequestTests"),
    ("each reply to a request counts as the first", "Request.swift",
     "guard !isAnswered.exchange(true, ordering: .relaxed) else { return false }", ""),
    ("a cancelled task asks, too", "Request.swift",
     "    guard !Task.isCancelled else { return nil }\n", ""),
    # What is kept unheard, counts, settling and batches.
    ("what is unheard is kept while somebody listens", "BroadcastLog.swift",
     "    } else if let unheard, state.queues.isEmpty {\n", "    } else if let unheard {\n"),
    ("what is unheard goes to the second subscriber, too", "SubscriberQueue.swift",
     "    count = 0\n"
     "    return exchange(&backlog, with: Backlog())\n",
     "    var copy = Backlog<Element>()\n"
     "    backlog.forEach { copy.append($0) }\n"
     "    return copy\n"),
    ("what is unheard is handed over without its drops", "SubscriberQueue.swift",
     "    other.droppedCount += droppedCount\n", ""),
    ("what is unheard is read from the log without its drops", "SubscriberQueue.swift",
     "    dropped += exchange(&droppedCount, with: 0)\n", ""),
    ("inlets keep what is unheard", "KeptUnheard.swift",
     "    log.dropUnheard()\n", "", "AsyncChannelsTests.(KeptUnheardTests|RequestTests)"),
    ("the end forgets what is unheard", "BroadcastLog.swift",
     "    if kept.count > 0 { joined.beginBehind(&kept) }\n",
     "    if kept.count > 0, joined.isReader { joined.beginBehind(&kept) }\n"),
    ("a subscriber that comes is not counted as state", "LogState.swift",
     "(attendance?.lastNumber ?? 0, attendance?.noteCount(subscriberCount))",
     "(attendance?.lastNumber ?? 0, nil)"),
    ("a subscriber that leaves is not counted as state", "Attendance.swift",
     "    let count = noteCount(remaining)\n", "    let count: AttendanceNews? = nil\n"),
    ("counts do not end", "Attendance.swift",
     "    if news.isEnd { news.follower?.finish() }\n", ""),
    ("those that sleep are waited for", "Attendance.swift",
     "remaining: count - sleepers.subscriberCount,", "remaining: count,"),
    ("a sleeper settles again when it wakes", "Attendance.swift",
     "      if attended.hasSlept(through: wait) {\n"
     "        attended.number = wait.number\n"
     "        continue\n"
     "      }\n",
     ""),
    ("a sleeper that was cancelled is still taken for one", "BroadcastLogBase.swift",
     "      if state.waiting.leave(bell) { state.noteWaking(of: cursor) }\n",
     "      state.waiting.leave(bell)\n"),
    ("a sleep is noted before the question", "BroadcastLogBase.swift",
     "      let settled = asks ? state.attendance?.noteAsking(cursor, finding: look) : nil\n"
     "      if look == .nothing, bell != nil { state.noteSleep(of: cursor) }\n",
     "      if look == .nothing, bell != nil { state.noteSleep(of: cursor) }\n"
     "      let settled = asks ? state.attendance?.noteAsking(cursor, finding: look) : nil\n"),
    ("no sleep is noted", "BroadcastLogBase.swift",
     "      if look == .nothing, bell != nil { state.noteSleep(of: cursor) }\n", ""),
    ("a watcher settles for a subscriber that does not sleep", "WaitQueue.swift",
     "    if bell.isSubscribers { subscriberCount += 1 }\n", "    subscriberCount += 1\n"),
    ("one that comes later does not settle", "LogState.swift",
     "(attendance?.lastNumber ?? 0, attendance?", "(0, attendance?"),
    ("a consumer that goes on has settled wherever it is", "SettleWait.swift",
     "return number >= mark }", "return number >= 0 }"),
    ("a consumer settles one element early", "SettleWait.swift",
     "return number >= mark }", "return number >= mark - 1 }"),
    ("a consumer that never sleeps does not settle", "LogCursor.swift",
     "    if asks, isAwaited { untypedLog.noteAsking(for: self) }\n", ""),
    ("a bounded consumer that never sleeps does not settle", "SettleWait.swift",
     "      for queue in state.queues { queue.isWatched = true }\n", ""),
    ("a bounded consumer settles one element early", "SettleWait.swift",
     "queue.departures >= last", "queue.departures >= last - 1"),
    ("what was dropped has to be taken to settle", "SubscriberQueue.swift",
     "takenSlowly + droppedCount } else", "takenSlowly } else"),
    ("what was refused counts as taken to settle", "SubscriberQueue.swift",
     "else { takenSlowly }", "else { takenSlowly + droppedCount }"),
    ("the fast path stays closed when all have settled", "SettleWait.swift",
     "      for queue in state.queues { queue.isWatched = false }\n", ""),
    ("a derived consumer that never sleeps does not settle", "Cursor.swift",
     "look(asks: terms == .next, orJoinWith", "look(asks: false, orJoinWith"),
    ("a batch has settled before it is given", "Feed.swift",
     "      switch take(.more, as: ticket) {\n      case .element(let element): elements",
     "      switch take(.next, as: ticket) {\n      case .element(let element): elements"),
    ("a merge settles only where it finds something", "MergedCursor.swift",
     "where result != .readable || sources[number].cursor.isAwaited", "where result != .readable"),
    ("one that leaves does not settle", "Attendance.swift",
     "    let settled = settle(from: &attended) { _ in true }\n",
     "    let settled: Settled? = nil\n    attended += 0\n"),
    ("those that settle do not hear of the end", "Attendance.swift",
     "settled: waits.isEmpty ? nil : waits, isEnd", "isEnd"),
    ("a settling that was cancelled stays", "Attendance.swift",
     "    waits.removeAll { $0 === wait }\n", ""),
    ("a batch takes what comes meanwhile", "Batches.swift",
     "let count = Swift.min(waiter.pendingCount, maximum)", "let count = maximum"),
    ("a batch may be empty", "Batches.swift", "if !batch.isEmpty { return batch }", "return batch"),
    ("segments do not count on", "Segment.swift",
     "start: end?.number ?? 0)", "start: 0)"),
    ("a body is called though they have left", "WhileSubscribed.swift",
     "      if count == 0 { continue }\n", ""),
    ("a linger ends although somebody came in time", "WhileSubscribed.swift",
     "on: clock) != nil", "on: clock) != nil && false"),
    ("what comes with the deadline is lost", "Subscription.swift",
     "return first ?? second", "return first", "AsyncChannelsTests.ProbeTests"),
    # Recordings: what the log tells the tape, and what becomes of it there.
    ("a recorded log is taken for a plain one", "LogState.swift",
     "isPlain: Bool { flags.isEmpty }", "isPlain: Bool { flags.subtracting(.recorded).isEmpty }",
     RECORDING),
    ("a recorded reader takes all it knows of", "LogCursor.swift",
     "    if untypedLog.isRecorded.load(ordering: .relaxed) { position.forgetKnown(but: 0) }\n",
     "", RECORDING),
    ("a recorded reader knows of the next element, too", "Cursor.swift",
     "    position.forgetKnown(but: 1)\n", "", RECORDING),
    ("what was replayed is recorded as read from the log", "LogCursor+Recording.swift",
     "slot < firstInLog ?", "slot < .min ?", POSITION),
    ("a take is recorded twice", "LogCursor+Recording.swift",
     "    let origins = taps.compactMap { tap in\n"
     "      tap.note(step)",
     "    for tap in taps { tap.note(step) }\n"
     "    let origins = taps.compactMap { tap in\n"
     "      tap.note(step)", RECORDING),
    ("what is taken from a queue is not recorded", "LogCursor+Recording.swift",
     "    state.taps.compactMap { tap in\n", "    state.taps.prefix(0).compactMap { tap in\n", RECORDING),
    ("an element that is dropped is not recorded", "Tape.swift",
     "      add(.dropped, lane, by: sent.sender, element: dropped.element, subscription: number)\n",
     "      _ = (dropped, number)\n", RECORDING),
    ("the newer element is recorded as dropped", "TapedLane.swift",
     "return Dropped(element: queue.removeFirst())",
     "queue.removeFirst()\n      return Dropped(element: element)", RECORDING),
    ("a recording that begins during a send is not told", "BroadcastLog+Recording.swift",
     "      let caption = captions.first { $0.tap === tap }?.caption ?? Caption(words.map(tap.shown))\n",
     "      guard let caption = captions.first(where: { $0.tap === tap })?.caption else { continue }\n",
     RECORDING),
    ("a recording that begins during an update is not told", "BroadcastLog+Recording.swift",
     "(sending ?? Sending()).note(", "sending?.note(", RECORDING),
    ("a recording that was dropped still records", "BroadcastLog+Recording.swift",
     "      state.taps.removeAll { $0.tape == tape }\n", "", RECORDING),
    ("a recording keeps each element", "BroadcastLog+Recording.swift",
     "  final func makeSending(of element: some Sendable) -> Sending {\n",
     "  static let kept = Locked<[any Sendable]>([])\n\n"
     "  final func makeSending(of element: some Sendable) -> Sending {\n"
     "    Self.kept.withLock { $0.append(element) }\n"
     "    return ", RECORDING),
    ("a cause is kept when its task asks again", "LogCursor+Recording.swift",
     "    case .asks: break\n", "    case .asks: return\n", RECORDING),
    ("a cause is kept when its subscription is left", "LogCursor+Recording.swift",
     "    note { .left($0) }\n    Causes.forget(subscriber)\n", "    note { .left($0) }\n",
     RECORDING),
    ("what a script takes is a cause", "LogCursor+Recording.swift",
     "      if untypedLog.taps.allSatisfy(\\.isInput) { return }\n", "      return\n", RECORDING),
    ("a cause of another recording is shown", "BroadcastLog+Recording.swift",
     "causes.first { $0.tap.tape == tap.tape }", "causes.first", RECORDING),
    ("a secret field is shown", "Describer.swift",
     "names.contains(label) ? \"…\" : words(child.value, depth: depth + 1)",
     "words(child.value, depth: depth + 1)", RECORDING),
]
