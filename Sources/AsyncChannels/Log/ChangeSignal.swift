import Synchronization

/// Which of several logs have got an element since their follower last asked, and its doorbell while it sleeps.
///
/// The lock here is taken inside a log's lock, and no other inside it.
final class ChangeSignal: Sendable {
  /// A log's place, under the log's number here.
  fileprivate struct Place {
    /// How many logs have had the number before. One that the follower has left may not know that yet.
    var use = 0
    var isChanged = false
    var hasEnded = false
    /// How many elements of it were asked for, and how many came while one was there already.
    var takenCount = 0
    var replacedCount = 0
  }

  /// Whose place it is: a number, and its use.
  typealias ID = (number: Int, use: Int)

  /// Not private: the compiler (6.3.1) does not find its metadata in another file then.
  struct State: ~Copyable {
    fileprivate var places: [Place] = []
    /// The numbers of logs that were left.
    fileprivate var free: [Int] = []
    fileprivate var changed: [ID] = []
    fileprivate var openCount = 0
    fileprivate var replacedCount = 0
    fileprivate var bell: Doorbell?
    /// Whether there is something to read though no log has changed.
    fileprivate var isDue = false

    fileprivate var isReadable: Bool { isDue || !changed.isEmpty }

    fileprivate func isInUse(_ id: ID) -> Bool { places[id.number].use == id.use }

    fileprivate mutating func mark(_ id: ID) {
      if exchange(&places[id.number].isChanged, with: true) {
        places[id.number].replacedCount += 1
        replacedCount += 1
      } else {
        changed.append(id)
      }
    }

    /// It was in the wait queue of any log.
    fileprivate mutating func takeBell() -> Doorbell? {
      guard let bell = bell.take() else { return nil }
      bell.generation = 0
      return bell
    }
  }

  private let state = Locked(State())

  /// How many logs have changed.
  var changedCount: Int { state.withLock { max($0.changed.count, $0.isDue ? 1 : 0) } }
  var replacedCount: Int { state.withLock { $0.replacedCount } }

  func add() -> SignalPlace {
    let id = state.withLock { state -> ID in
      state.openCount += 1
      let number = state.free.popLast() ?? state.places.count
      if number == state.places.count { state.places.append(Place()) }
      return (number, state.places[number].use)
    }
    return SignalPlace(in: self, id: id)
  }

  /// The follower reads that log no more, and is about to leave it.
  func remove(_ place: SignalPlace) {
    let id = place.id
    state.withLock { state in
      if state.places[id.number].isChanged { state.changed.removeAll { $0.number == id.number } }
      if !state.places[id.number].hasEnded { state.openCount -= 1 }
      state.places[id.number] = Place(use: id.use + 1)
      state.free.append(id.number)
    }
  }

  /// Whether there is something to read.
  ///
  /// - Parameter changed: Empty. Gets the logs that have changed.
  /// - Parameter evenIfCancelled: Whether to take though the task is cancelled. That is asked when they were seen.
  func take(evenIfCancelled: Bool, into changed: inout [ID]) -> Bool {
    state.withLock { state in
      guard state.isReadable, evenIfCancelled || !Task.isCancelled else { return false }
      state.isDue = false
      for id in state.changed {
        state.places[id.number].isChanged = false
        state.places[id.number].takenCount += 1
      }
      swap(&state.changed, &changed)
      return true
    }
  }

  /// What was taken was not given. Rings a newer consumer that sleeps.
  func giveBack(_ changed: [ID]) {
    let sleeper = state.withLock { state -> Doorbell? in
      state.isDue = true
      for id in changed where state.isInUse(id) {
        state.places[id.number].takenCount -= 1
        state.mark(id)
      }
      return state.takeBell()
    }
    sleeper?.ring()
  }

  /// Looks, and falls asleep on a doorbell in the same step if there is nothing.
  func poll(orJoinWith bell: Doorbell?) -> PollResult {
    state.withLock { state in
      if state.isReadable { return .readable }
      if state.openCount == 0 { return .finished }
      if let bell { state.bell = bell }
      return .nothing
    }
  }

  /// Nobody sleeps any more.
  func leave() {
    state.withLock { _ = $0.bell.take() }
  }

  fileprivate func mark(_ id: ID) {
    state.withLock { state in
      if state.isInUse(id) { state.mark(id) }
    }
  }

  /// The doorbell of a follower that sleeps though there is something to read. Its taker rings it when the log's lock is
  /// released.
  fileprivate func takeBell() -> Doorbell? {
    state.withLock { $0.isReadable ? $0.takeBell() : nil }
  }

  fileprivate func end(_ id: ID) -> Doorbell? {
    state.withLock { state in
      guard state.isInUse(id) else { return nil }
      if !exchange(&state.places[id.number].hasEnded, with: true) { state.openCount -= 1 }
      return state.openCount == 0 ? state.takeBell() : nil
    }
  }

  fileprivate func counts(of id: ID) -> (pending: Int, departed: Int) {
    state.withLock { state in
      guard state.isInUse(id) else { return (0, 0) }
      let place = state.places[id.number]
      return (place.isChanged ? 1 : 0, place.takenCount + place.replacedCount)
    }
  }

  fileprivate var isAwaited: Bool { state.withLock { $0.bell != nil } }
}

/// What a log has of a follower of several: it says that there is an element, and keeps none.
@usableFromInline
struct SignalPlace: Sendable {
  private let signal: ChangeSignal
  let id: ChangeSignal.ID

  fileprivate init(in signal: ChangeSignal, id: ChangeSignal.ID) {
    (self.signal, self.id) = (signal, id)
  }

  /// Not inlined: sends to other queues would save more registers.
  @usableFromInline @inline(never)
  func mark() { signal.mark(id) }

  func takeBell() -> Doorbell? { signal.takeBell() }

  func end() -> Doorbell? { signal.end(id) }

  /// How many elements wait, and how many have been taken or replaced.
  var counts: (pending: Int, departed: Int) { signal.counts(of: id) }

  /// Whether the follower sleeps.
  var isAwaited: Bool { signal.isAwaited }
}
