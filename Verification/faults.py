"""The faults that plant-faults plants: small changes of the sources, each of which must be caught.

(name, file below Sources/AsyncChannels, the text as it is, the text with the fault). The text
must be found exactly once, so that a fault that no longer applies is noticed.
"""

FAULTS = [
    # The order of a segment's slots, and their counts.
    ("a full segment is noticed one slot late", "LogState.swift",
     "if end.index == end.segment.capacity {", "if end.index == end.segment.capacity + 1 {"),
    ("a full segment keeps the log's hold", "LogState.swift",
     "      full.release()\n", ""),
    ("a full segment is not linked to the next", "LogState.swift",
     "      full.link(end.segment)\n", ""),
    ("a slot is owed to one reader too few", "LogState.swift",
     "end.segment.append(element, pendingReads: readers)",
     "end.segment.append(element, pendingReads: max(1, readers - 1))"),
    ("a slot is owed to one reader too many", "LogState.swift",
     "end.segment.append(element, pendingReads: readers)",
     "end.segment.append(element, pendingReads: readers + 1)"),
    ("registration is counted, but not undone", "LogState.swift",
     "    readers -= 1\n", ""),
    ("a reader begins one slot early", "Position.swift",
     "    index = end.index\n", "    index = max(0, end.index - 1)\n"),
    ("the last of several readers does not destroy", "Position.swift",
     "      place.deinitialize(count: 1)\n", ""),
    ("a reader that takes does not count down", "Position.swift",
     "pendingReads[slot].wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 {\n"
     "      place",
     "pendingReads[slot].load(ordering: .acquiring) == 0 {\n      place"),
    ("who leaves skips nothing", "Position.swift",
     "    skip(to: end.index, of: Element.self)\n", ""),
    ("who leaves keeps its segment", "Position.swift",
     "    skip(to: end.index, of: Element.self)\n    segment.release()\n",
     "    skip(to: end.index, of: Element.self)\n"),
    ("a reader that goes on keeps the segment behind it", "Position.swift",
     "    old.release()\n", ""),
    ("a segment does not hold the next", "Segment.swift",
     "    next.retain()\n", ""),
    # Sleeping and ringing.
    ("no second look before sleeping", "LogState.swift",
     "    if look == .nothing { waiting.join(bell) }\n    return look",
     "    waiting.join(bell)\n    return .nothing"),
    ("a ring is lost while the actor rings", "LogState.swift",
     "    due.append(waiting.takeAll())\n    if actorIsRinging { return .nobody }\n",
     "    if actorIsRinging { return .nobody }\n    due.append(waiting.takeAll())\n"),
    ("the actor's turn never ends", "LogState.swift",
     "      actorIsRinging = false\n", ""),
    ("the end wakes nobody", "BroadcastLog.swift",
     "return state.finish() ? state.takeSleepers() : .nobody",
     "_ = state.finish()\n      return .nobody"),
    ("a line that was taken keeps its generation", "WaitQueue.swift",
     "    generation += 1\n", ""),
    ("who leaves the line stays in it", "WaitQueue.swift",
     "    sleepers.remove(bell)\n", ""),
    ("the actor rings the first line only", "Waker.swift",
     "    while let due = source.takeDue() {", "    if let due = source.takeDue() {"),
    # The lease.
    ("acquire does not compare the tickets", "Lease.swift",
     "      if current & ~1 > ticket { return false }\n", ""),
    ("acquire stores where it should exchange", "Lease.swift",
     "      } else if word.compareExchange(\n"
     "        expected: current, desired: ticket | 1, ordering: .acquiring\n"
     "      ).exchanged {\n",
     "      } else {\n        word.store(ticket | 1, ordering: .relaxed)\n"),
    ("all iterators have one ticket", "Lease.swift",
     "lastTicket.wrappingAdd(2, ordering: .acquiringAndReleasing).newValue",
     "lastTicket.load(ordering: .relaxed) + 2"),
    ("a take that finds nothing keeps the lease", "Cursor.swift",
     "    lease.release(ticket)\n    return element\n",
     "    if element != nil { lease.release(ticket) }\n    return element\n"),
    ("who is at the end keeps the lease", "Waiter.swift",
     "    lease.release(ticket)\n    displaced?.ring()\n    return arrival\n",
     "    if case .over = arrival {} else { lease.release(ticket) }\n    displaced?.ring()\n"
     "    return arrival\n"),
    ("who is displaced keeps the lease", "Waiter.swift",
     "    lease.release(ticket)\n    if isDisplaced { reportDisplacement() }\n",
     "    if !isDisplaced { lease.release(ticket) }\n"),
    # Displacing and cancelling.
    ("a newer consumer displaces nobody", "Waiter.swift",
     "    isAsleep ? dropBell() : nil\n", "    nil\n"),
    ("who is displaced is not rung", "Waiter.swift",
     "    displaced?.ring()\n    return arrival\n", "    _ = displaced\n    return arrival\n"),
    ("who looks without waiting rings nobody", "Waiter.swift",
     "    displaced?.ring()\n    return look\n", "    _ = displaced\n    return look\n"),
    ("a doorbell that is dropped stays in the line", "Waiter.swift",
     "    if let bell { leaveQueue(bell) }\n", ""),
    ("a newer consumer sleeps on the displaced one's doorbell", "Waiter.swift",
     "    isAsleep = false\n    return bell.take()\n", "    isAsleep = false\n    return bell\n"),
    ("who wakes does not look at the doorbell", "Waiter.swift",
     "let isDisplaced = bell !== self.bell", "let isDisplaced = !isAsleep"),
    ("who is cancelled while asleep keeps the doorbell", "Waiter.swift",
     "      if isCancelled { _ = dropBell() }\n", ""),
    ("who is cancelled while asleep looks again", "Waiter.swift",
     "return !isDisplaced && !isCancelled", "return !isDisplaced"),
    ("who is cancelled displaces all the same", "Waiter.swift",
     "    if Task.isCancelled { return false }\n    switch lookOrFallAsleep",
     "    switch lookOrFallAsleep"),
    # The log's lock, and what is one step under it.
    ("a queue is read without the lock", "BroadcastLog.swift",
     "    state.withLock { _ in queue.popFirst() }\n", "    queue.popFirst()\n"),
    ("sleepers are taken before the element is stored", "BroadcastLog.swift",
     "    state.withLock { state in\n"
     "      guard !state.isFinished else { return (nil, .nobody) }\n"
     "      if state.readers > 0 { state.appendSlot(element) }\n"
     "      if !state.queues.isEmpty { fill(state.queues, with: element, evicting: &evicted) }\n"
     "      if replayed, let window { window.slide(adding: element, evicting: &evicted) }\n"
     "      return (state.subscriberCount, state.takeSleepers())\n"
     "    }\n",
     "    let wake = state.withLock { $0.takeSleepers() }\n"
     "    let count: Int? = state.withLock { state in\n"
     "      guard !state.isFinished else { return nil }\n"
     "      if state.readers > 0 { state.appendSlot(element) }\n"
     "      if !state.queues.isEmpty { fill(state.queues, with: element, evicting: &evicted) }\n"
     "      if replayed, let window { window.slide(adding: element, evicting: &evicted) }\n"
     "      return state.subscriberCount\n"
     "    }\n"
     "    return (count, wake)\n"),
    ("a slot is published before it is written", "Segment.swift",
     "    (elements.assumingMemoryBound(to: Element.self) + slot).initialize(to: element)\n",
     "    header.pointee.published.store(slot + 1, ordering: .releasing)\n"
     "    (elements.assumingMemoryBound(to: Element.self) + slot).initialize(to: element)\n"),
    ("registration comes after the window's snapshot", "BroadcastLog.swift",
     "    return state.withLock { state in\n      guard !state.isFinished else { return (nil, nil) }\n"
     "      if let queue { window?.forEach { queue.offer($0, evicting: &evicted) } }\n",
     "    state.withLock { _ in\n"
     "      if let queue { window?.forEach { queue.offer($0, evicting: &evicted) } }\n    }\n"
     "    return state.withLock { state in\n      guard !state.isFinished else { return (nil, nil) }\n"),
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
     "if elements.count == limit, let", "if elements.count == limit + 1, let"),
    ("the replay window outlives the end", "BroadcastLog.swift",
     "if !keepingNewest, let window { replayed = window.takeAll() }", "_ = keepingNewest"),
    ("who joins after the end joins", "BroadcastLog.swift",
     "      guard !state.isFinished else { return (nil, nil) }\n", ""),
    ("a finished log takes elements", "BroadcastLog.swift",
     "      guard !state.isFinished else { return (nil, .nobody) }\n", ""),
]
