import AsyncChannels

/// What a channel must do, one step after the other: the contract as a plain value.
///
/// Lists of numbers: no log, no lock, no task. A subscriber is the list of what it is owed; a
/// consumer takes from that when it is run, and sleeps if there is nothing. The newest that has asked
/// is the only one who gets anything.
struct SequentialModel {
  private struct Subscriber {
    let policy: BufferingPolicy
    var isDerived = false
    var owed: [Int] = []
    var isHeld = true
    /// The newest consumer that has asked for an element.
    var newest: Int?

    /// Adds an element as the policy says. True if one was dropped for it.
    mutating func offer(_ element: Int) -> Bool {
      owed.append(element)
      switch policy {
      case .bufferingNewest(let limit) where owed.count > limit: owed.removeFirst()
      case .bufferingOldest(let limit) where owed.count > limit: owed.removeLast()
      default: return false
      }
      return true
    }
  }

  private struct Consumer {
    let subscriber: Int
    let wanted: Int
    let pace: Int
    let inBatches: Bool
    var state = State.new
    var isCancelled = false

    enum State {
      case new, paused, asleep
    }
  }

  /// A call of `waitUntilSettled()` that has not returned.
  private struct Settling {
    /// The first element that it does not wait for.
    let mark: Int
    /// Those that have not asked for more yet, having taken all that was sent before.
    var unsettled: Set<Int>
    /// Those and others: it need not have heard of them yet that they have.
    var unheard: Set<Int>
    /// Whether it was cancelled, or the channel finished.
    var isOver = false

    /// What it may have returned, nil if nothing; the first is what is expected.
    var permitted: [Bool?] {
      if unheard.isEmpty { return [true] }
      return (isOver ? [false] : [nil]) + (unsettled.isEmpty ? [true] : [])
    }
  }

  /// What is to be seen from outside now.
  private(set) var observation = Observation()
  /// How many consumers were displaced by a newer one, and found it out.
  private(set) var displacements = 0
  private let setup: Setup
  private var sent = 0
  private var lastCount = 0
  private var window: [Int] = []
  private var isFinished = false
  private var hasOwner = true
  private var subscribers: [Int: Subscriber] = [:]
  private var consumers: [Int: Consumer] = [:]
  private var settlings: [Int: Settling] = [:]

  init(_ setup: Setup) {
    self.setup = setup
    if setup.isCurrentValue { _ = send(replayed: true) }
    observe()
  }

  /// Does a step. False, and nothing is done, if it makes no sense here or is a programmer error.
  mutating func apply(_ step: Step) -> Bool {
    var results: [Int?] = []
    switch step {
    case .send(let count, let replayed, let way):
      guard hasOwner || way == .inlet else { return false }
      let isTold = !setup.isCurrentValue || way == .inlet
      for _ in 0..<count {
        let result = send(replayed: replayed)
        if isTold { results.append(result) }
      }
    case .subscribe(let number, let policy, let isDerived):
      subscribe(number, policy ?? setup.policy, isDerived: isDerived)
    case .consume(let number, let subscriber, let wanted, let pace, let inBatches):
      guard subscribers[subscriber]?.isHeld == true else { return false }
      consumers[number] = Consumer(
        subscriber: subscriber, wanted: wanted, pace: pace, inBatches: inBatches)
      observation.consumers.append(.init(number: number))
    case .run(let number):
      guard canRun(number) else { return false }
      run(number)
    case .cancel(let number):
      guard
        observation.consumers.contains(where: { $0.number == number })
          || observation.settlings.contains(where: { $0.number == number })
      else { return false }
      consumers[number]?.isCancelled = true  // nothing, if it has ended
      settlings[number]?.isOver = true
    case .drop(let number):
      guard subscribers[number]?.isHeld == true else { return false }
      subscribers[number]?.isHeld = false
      observation.subscribers.removeAll { $0.number == number }
      leaveIfUnused(number)
    case .settle(let number):
      settle(number)
    case .finish, .dropOwner:
      guard hasOwner else { return false }
      isFinished = true
      for number in settlings.keys { settlings[number]!.isOver = true }
      if case .dropOwner = step { hasOwner = false }
      // The last value of a state stays for those that hold its outlet.
      if !setup.isCurrentValue { window = [] }
    }
    observation.sent = results
    observe()
    return true
  }

  private mutating func send(replayed: Bool) -> Int? {
    let element = sent
    sent += 1
    if isFinished { return nil }
    for number in subscribers.keys { offer(element, to: number) }
    if replayed { window = (window + [element]).suffix(setup.replays) }
    return subscribers.count
  }

  private mutating func offer(_ element: Int, to number: Int) {
    guard subscribers[number]!.offer(element),
      let index = observation.subscribers.firstIndex(where: { $0.number == number })
    else { return }
    observation.subscribers[index].dropped += 1
  }

  private mutating func subscribe(_ number: Int, _ policy: BufferingPolicy, isDerived: Bool) {
    subscribers[number] = Subscriber(policy: policy, isDerived: isDerived)
    observation.subscribers.append(.init(number: number))
    if !isFinished { for element in window { offer(element, to: number) } }
  }

  /// A sleeper if it was cancelled or displaced, or if there is something; any other always.
  private func canRun(_ number: Int) -> Bool {
    guard let consumer = consumers[number] else { return false }
    let subscriber = subscribers[consumer.subscriber]!
    return consumer.state != .asleep || consumer.isCancelled || subscriber.newest != number
      || isFinished || !subscriber.owed.isEmpty
  }

  private mutating func run(_ number: Int) {
    let consumer = consumers[number]!
    if consumer.isCancelled { return end(number) }
    if consumer.state != .new, subscribers[consumer.subscriber]!.newest != number {
      displacements += 1
      return end(number)
    }
    subscribers[consumer.subscriber]!.newest = number
    let index = observation.consumers.firstIndex { $0.number == number }!
    let before = observation.consumers[index].taken.count
    let begun = consumer.inBatches ? before : before / consumer.pace * consumer.pace
    let stop = consumer.pace == .max ? .max : begun + consumer.pace
    let owed = subscribers[consumer.subscriber]!.owed
    let taken = owed.prefix(min(stop, consumer.wanted) - before)
    subscribers[consumer.subscriber]!.owed.removeFirst(taken.count)
    observation.consumers[index].taken += taken
    let isBatch = consumer.inBatches && consumer.pace != .max && !taken.isEmpty
    switch before + taken.count {
    case consumer.wanted: end(number)
    case _ where isBatch, stop: consumers[number]!.state = .paused
    case _ where isFinished: return end(number)
    default: consumers[number]!.state = .asleep
    }
    // It has asked before each element that it took, or once for a batch; and if it sleeps, after it.
    let lastAsked = isAsleep(number) ? taken.count : isBatch ? 0 : taken.count - 1
    noteAsking(consumer, owed: owed, lastAt: lastAsked, sleeps: isAsleep(number))
  }

  private func isAsleep(_ number: Int) -> Bool {
    if case .asleep = consumers[number]?.state { true } else { false }
  }

  /// It is waited for all that are subscribed and do not sleep: one that sleeps has asked for more.
  private mutating func settle(_ number: Int) {
    observation.settlings.append(.init(number: number, result: isFinished ? false : nil))
    if isFinished { return }
    let waited = subscribers.filter { _, subscriber in
      !(subscriber.newest.map(isAsleep) ?? false) || !subscriber.owed.isEmpty
    }
    let unsettled = Set(waited.keys)
    settlings[number] = Settling(mark: sent, unsettled: unsettled, unheard: unsettled)
  }

  /// A consumer whose subscriber was owed these elements has asked for more, last when it had taken so
  /// many of them. It need not be heard of that before it has taken 64 more, if it always finds an
  /// element on the fast path; or if what it had slept through was replaced by newer elements.
  private mutating func noteAsking(
    _ consumer: Consumer, owed: [Int], lastAt count: Int, sleeps: Bool
  ) {
    let number = consumer.subscriber
    guard let subscriber = subscribers[number] else { return }
    let isSlow = consumer.inBatches || subscriber.isDerived || subscriber.policy != .unbounded
    let hasSlept = if case .asleep = consumer.state { true } else { false }
    let isHeard = sleeps || isSlow && !(hasSlept && count == 0)
    for (id, settling) in settlings where !settling.isOver {
      let behind = count - owed.prefix { $0 < settling.mark }.count
      if behind >= 0 { settlings[id]!.unsettled.remove(number) }
      if behind >= (isHeard ? 0 : 64) { settlings[id]!.unheard.remove(number) }
    }
  }

  /// What `waitUntilSettled()` has returned where it may have returned that is right, and final.
  mutating func allow(_ got: [Observation.Settling]) {
    for (index, settling) in got.enumerated() {
      guard let permitted = settlings[settling.number]?.permitted,
        permitted.contains(settling.result)
      else { continue }
      observation.settlings[index].result = settling.result
      if settling.result != nil { settlings[settling.number] = nil }
    }
  }

  private mutating func end(_ number: Int) {
    let index = observation.consumers.firstIndex { $0.number == number }!
    observation.consumers[index].hasEnded = true
    if let consumer = consumers.removeValue(forKey: number) { leaveIfUnused(consumer.subscriber) }
  }

  private mutating func leaveIfUnused(_ number: Int) {
    let isUsed = consumers.values.contains { $0.subscriber == number }
    guard !subscribers[number]!.isHeld, !isUsed else { return }
    subscribers[number] = nil
    for (id, settling) in settlings where !settling.isOver {
      settlings[id]!.unsettled.remove(number)
      settlings[id]!.unheard.remove(number)
    }
  }

  private mutating func observe() {
    let count = isFinished ? 0 : subscribers.count
    if count != lastCount { observation.countChanges += 1 }
    lastCount = count
    observation.subscriberCount = hasOwner ? count : nil
    for index in observation.subscribers.indices {
      let number = observation.subscribers[index].number
      observation.subscribers[index].pending = subscribers[number]!.owed.count
    }
    for index in observation.settlings.indices {
      let number = observation.settlings[index].number
      guard let settling = settlings[number] else { continue }
      observation.settlings[index].result = settling.permitted[0]
    }
    observation.value = setup.isCurrentValue && hasOwner ? window.last : nil
    observation.alive = subscribers.values.reduce(into: Set(window)) { $0.formUnion($1.owed) }
  }
}
