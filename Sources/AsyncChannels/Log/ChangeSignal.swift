import Synchronization

/// Which of several logs have got an element since their follower last asked, and its doorbell while it sleeps.
///
/// The lock here is taken inside a log's lock, and no other inside it.
final class ChangeSignal: Sendable {
  /// A log's place, under the log's number here.
  fileprivate struct Place {
    var isChanged = false
    var hasEnded = false
    /// Whether the follower reads its log no more. The log may not know that yet.
    var isLeft = false
    /// How many elements of it were asked for, and how many came while one was there already.
    var takenCount = 0
    var replacedCount = 0
  }

  /// Not private: the compiler (6.3.1) does not find its metadata in another file then.
  struct State: ~Copyable {
    fileprivate var places: [Place] = []
    /// The numbers of logs that were left.
    fileprivate var free: [Int] = []
    fileprivate var changed: [Int] = []
    fileprivate var openCount = 0
    fileprivate var replacedCount = 0
    fileprivate var bell: Doorbell?
    /// Whether there is something to read though no log has changed.
    fileprivate var isDue = false

    fileprivate var isReadable: Bool { isDue || !changed.isEmpty }

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
    let number = state.withLock { state -> Int in
      state.openCount += 1
      if let number = state.free.popLast() {
        state.places[number] = Place()
        return number
      }
      state.places.append(Place())
      return state.places.count - 1
    }
    return SignalPlace(in: self, number: number)
  }

  /// The follower reads that log no more, and is about to leave it.
  func remove(_ place: SignalPlace) {
    state.withLock { state in
      if state.places[place.number].isChanged { state.changed.removeAll { $0 == place.number } }
      if !state.places[place.number].hasEnded { state.openCount -= 1 }
      state.places[place.number].isLeft = true
    }
  }

  /// To be called when the log knows that, too.
  func free(_ place: SignalPlace) {
    state.withLock { $0.free.append(place.number) }
  }

  /// Whether there is something to read.
  ///
  /// - Parameter changed: Empty. Gets the numbers of the logs that have changed.
  /// - Parameter evenIfCancelled: Whether to take though the task is cancelled. That is asked when they were seen.
  func take(evenIfCancelled: Bool, into changed: inout [Int]) -> Bool {
    state.withLock { state in
      guard state.isReadable, evenIfCancelled || !Task.isCancelled else { return false }
      state.isDue = false
      for number in state.changed {
        state.places[number].isChanged = false
        state.places[number].takenCount += 1
      }
      swap(&state.changed, &changed)
      return true
    }
  }

  /// What was taken was not given. Rings a newer consumer that sleeps.
  func giveBack(_ numbers: [Int]) {
    let sleeper = state.withLock { state -> Doorbell? in
      state.isDue = true
      for number in numbers where !state.places[number].isLeft {
        state.places[number].takenCount -= 1
        if exchange(&state.places[number].isChanged, with: true) {
          state.places[number].replacedCount += 1
          state.replacedCount += 1
        } else {
          state.changed.append(number)
        }
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

  fileprivate func mark(_ number: Int) {
    state.withLock { state in
      if state.places[number].isLeft { return }
      if exchange(&state.places[number].isChanged, with: true) {
        state.places[number].replacedCount += 1
        state.replacedCount += 1
      } else {
        state.changed.append(number)
      }
    }
  }

  /// The doorbell of a follower that sleeps though there is something to read. Its taker rings it when the log's lock is
  /// released.
  fileprivate func takeBell() -> Doorbell? {
    state.withLock { $0.isReadable ? $0.takeBell() : nil }
  }

  fileprivate func end(_ number: Int) -> Doorbell? {
    state.withLock { state in
      if state.places[number].isLeft { return nil }
      if !exchange(&state.places[number].hasEnded, with: true) { state.openCount -= 1 }
      return state.openCount == 0 ? state.takeBell() : nil
    }
  }

  fileprivate func counts(of number: Int) -> (pending: Int, departed: Int) {
    state.withLock { state in
      let place = state.places[number]
      return (place.isChanged ? 1 : 0, place.takenCount + place.replacedCount)
    }
  }

  fileprivate var isAwaited: Bool { state.withLock { $0.bell != nil } }
}

/// What a log has of a follower of several: it says that there is an element, and keeps none.
@usableFromInline
struct SignalPlace: Sendable {
  private let signal: ChangeSignal
  let number: Int

  fileprivate init(in signal: ChangeSignal, number: Int) {
    (self.signal, self.number) = (signal, number)
  }

  /// Not inlined: sends to other queues would save more registers.
  @usableFromInline @inline(never)
  func mark() { signal.mark(number) }

  func takeBell() -> Doorbell? { signal.takeBell() }

  func end() -> Doorbell? { signal.end(number) }

  /// How many elements wait, and how many have been taken or replaced.
  var counts: (pending: Int, departed: Int) { signal.counts(of: number) }

  /// Whether the follower sleeps.
  var isAwaited: Bool { signal.isAwaited }
}
