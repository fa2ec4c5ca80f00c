import AsyncChannels

/// What a channel must do, one step after the other: the contract as a plain value.
///
/// Lists of numbers: no log, no lock, no task. A subscriber is the list of what it is owed; a
/// consumer takes from that when it is run, and sleeps if there is nothing.
struct SequentialModel {
  private struct Subscriber {
    let policy: BufferingPolicy
    var owed: [Int] = []
    var isHeld = true

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
    var isAsleep = false
    var isCancelled = false
  }

  /// What is to be seen from outside now.
  private(set) var observation = Observation()
  private let setup: Setup
  private var sent = 0
  private var window: [Int] = []
  private var isFinished = false
  private var hasOwner = true
  private var subscribers: [Int: Subscriber] = [:]
  private var consumers: [Int: Consumer] = [:]

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
    case .subscribe(let number, let policy, _):
      subscribe(number, policy ?? setup.policy)
    case .consume(let number, let subscriber, let wanted):
      guard subscribers[subscriber]?.isHeld == true else { return false }
      consumers[number] = Consumer(subscriber: subscriber, wanted: wanted)
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
      if !hasOwner || !setup.isCurrentValue { window = [] }
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

  private mutating func subscribe(_ number: Int, _ policy: BufferingPolicy) {
    subscribers[number] = Subscriber(policy: policy)
    observation.subscribers.append(.init(number: number))
    if !isFinished { for element in window { offer(element, to: number) } }
  }

  /// Who is cancelled always; who sleeps, if there is something; who has not begun, if none waits.
  private func canRun(_ number: Int) -> Bool {
    guard let consumer = consumers[number] else { return false }
    if consumer.isCancelled { return true }
    if consumer.isAsleep { return isFinished || !subscribers[consumer.subscriber]!.owed.isEmpty }
    return !consumers.values.contains {
      $0.subscriber == consumer.subscriber && $0.isAsleep && !$0.isCancelled
    }
  }

  private mutating func run(_ number: Int) {
    let consumer = consumers[number]!
    let subscriber = consumer.subscriber
    let index = observation.consumers.firstIndex { $0.number == number }!
    var missing = consumer.wanted - observation.consumers[index].taken.count
    if !consumer.isCancelled {
      let taken = subscribers[subscriber]!.owed.prefix(missing)
      subscribers[subscriber]!.owed.removeFirst(taken.count)
      observation.consumers[index].taken += taken
      missing -= taken.count
    }
    if consumer.isCancelled || missing == 0 || isFinished {
      observation.consumers[index].hasEnded = true
      consumers[number] = nil
      leaveIfUnused(subscriber)
    } else {
      consumers[number]!.isAsleep = true
    }
  }

  private mutating func leaveIfUnused(_ number: Int) {
    let isUsed = consumers.values.contains { $0.subscriber == number }
    if !subscribers[number]!.isHeld, !isUsed { subscribers[number] = nil }
  }

  private mutating func observe() {
    observation.subscriberCount =
      hasOwner && !setup.isCurrentValue ? (isFinished ? 0 : subscribers.count) : nil
    observation.value = setup.isCurrentValue && hasOwner ? window.last : nil
    observation.alive = subscribers.values.reduce(into: Set(window)) { $0.formUnion($1.owed) }
  }
}
