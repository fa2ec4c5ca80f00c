import AsyncChannels

/// What a channel must do, one step after the other: the contract as a plain value.
///
/// Lists of numbers: no log, no lock, no task. A subscriber is the list of what it is owed; a
/// consumer takes from that when it is run, and sleeps if there is nothing. The newest that has asked
/// is the only one who gets anything.
struct SequentialModel {
  private struct Subscriber {
    let policy: BufferingPolicy
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
    var state = State.new
    var isCancelled = false

    enum State {
      case new, paused, asleep
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
  /// What was sent while nobody was subscribed; nobody ever takes from it.
  private var unheard = Subscriber(policy: .unbounded)
  private var unheardDropped = 0
  private var isFinished = false
  private var hasOwner = true
  private var subscribers: [Int: Subscriber] = [:]
  private var consumers: [Int: Consumer] = [:]

  init(_ setup: Setup) {
    self.setup = setup
    unheard = Subscriber(policy: setup.kept ?? .unbounded)
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
    case .subscribe(let number, let policy, _):
      subscribe(number, policy ?? setup.policy)
    case .consume(let number, let subscriber, let wanted, let pace, _):
      guard subscribers[subscriber]?.isHeld == true else { return false }
      consumers[number] = Consumer(subscriber: subscriber, wanted: wanted, pace: pace)
      observation.consumers.append(.init(number: number))
    case .run(let number):
      guard canRun(number) else { return false }
      run(number)
    case .cancel(let number):
      guard observation.consumers.contains(where: { $0.number == number }) else { return false }
      consumers[number]?.isCancelled = true  // nothing, if it has ended
    case .drop(let number):
      guard subscribers[number]?.isHeld == true else { return false }
      subscribers[number]?.isHeld = false
      observation.subscribers.removeAll { $0.number == number }
      leaveIfUnused(number)
    case .finish, .dropOwner:
      guard hasOwner else { return false }
      isFinished = true
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
    if setup.kept != nil, subscribers.isEmpty, unheard.offer(element) { unheardDropped += 1 }
    if replayed { window = (window + [element]).suffix(setup.replays) }
    return subscribers.count
  }

  private mutating func offer(_ element: Int, to number: Int) {
    guard subscribers[number]!.offer(element),
      let index = observation.subscribers.firstIndex(where: { $0.number == number })
    else { return }
    observation.subscribers[index].dropped += 1
  }

  private mutating func subscribe(_ number: Int, _ policy: BufferingPolicy) {
    let isFirst = isFinished || subscribers.isEmpty
    subscribers[number] = Subscriber(policy: policy)
    observation.subscribers.append(.init(number: number, dropped: isFirst ? unheardDropped : 0))
    if isFirst {
      for element in unheard.owed { offer(element, to: number) }
      unheard.owed = []
      unheardDropped = 0
    }
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
    let stop = consumer.pace == .max ? .max : (before / consumer.pace + 1) * consumer.pace
    let taken = subscribers[consumer.subscriber]!.owed.prefix(min(stop, consumer.wanted) - before)
    subscribers[consumer.subscriber]!.owed.removeFirst(taken.count)
    observation.consumers[index].taken += taken
    switch before + taken.count {
    case consumer.wanted: end(number)
    case stop: consumers[number]!.state = .paused
    case _ where isFinished: end(number)
    default: consumers[number]!.state = .asleep
    }
  }

  private mutating func end(_ number: Int) {
    let index = observation.consumers.firstIndex { $0.number == number }!
    observation.consumers[index].hasEnded = true
    if let consumer = consumers.removeValue(forKey: number) { leaveIfUnused(consumer.subscriber) }
  }

  private mutating func leaveIfUnused(_ number: Int) {
    let isUsed = consumers.values.contains { $0.subscriber == number }
    if !subscribers[number]!.isHeld, !isUsed { subscribers[number] = nil }
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
    observation.value = setup.isCurrentValue && hasOwner ? window.last : nil
    let kept = Set(window + unheard.owed)
    observation.alive = subscribers.values.reduce(into: kept) { $0.formUnion($1.owed) }
  }
}
