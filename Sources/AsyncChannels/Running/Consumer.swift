/// One consumer of a subscription, which waits without taking, takes without waiting, and can give back
/// what it took: `answer`'s.
///
/// Several tasks of one call take with it. They have one epoch, so all is taken under the cursor's lock.
final class Consumer<Element: Sendable>: AnswerSource, Sendable {
  private let feed: Feed<Element>
  let place: ConsumerPlace

  /// It stands for the iterator, which is not to be used beside it.
  init(_ iterator: Subscription<Element>.Iterator) {
    feed = iterator.feed
    // Unlike an iterator, this may take in one task while it sleeps in another.
    let isAlone = iterator.epoch == Waiter.onlyEpoch
    let waiter = feed.waiter
    let isPlain = if case .cursor = feed { true } else { false }
    place = ConsumerPlace(
      waiter: waiter, epoch: isAlone ? waiter.makeEpoch() : iterator.epoch,
      isPlain: isPlain,
      replacesOld: (waiter as? LogCursor)?.untypedQueue?.replacesOld == true)
  }

  /// Waits until there may be something to take. False at the end, if the task is cancelled, or if a newer
  /// consumer has asked.
  func waitForElement(isolation: isolated (any Actor)?) async -> Bool {
    // The log is not asked while there are elements that were given back.
    if Causes.areFollowed { place.waiter.note(.endsStep) }
    return await place.waiter.waitForElement(as: place.epoch, isolation: isolation)
  }

  /// Takes one element that is there, or skips it. Takes nothing if the task is cancelled.
  func take() -> TakenTurn {
    if case .cursor(let cursor) = feed, let turn = cursor.takeTurn(as: place.epoch) {
      return .element(turn)
    }
    return takeElsewhere()
  }

  private func takeElsewhere() -> TakenTurn {
    switch feed.take(.more, as: place.epoch) {
    case .element(let element): .element(Turn(element))
    case .skipped: .skipped
    case .nothing: .nothing
    }
  }
}

extension Cursor {
  /// Takes an element that is in the log, while nobody follows that. Nil also in all other cases, in which
  /// `take` may find one.
  ///
  /// This looks up one type; a function that returns an optional element looks one up at each step.
  fileprivate func takeTurn(as epoch: UInt64) -> TurnBase? {
    withPlace(of: epoch) { () -> TurnBase? in
      guard isPlain, !hasReturned, !Causes.areFollowed,
        poll(asks: false, orJoinWith: nil) == .readable, !Task.isCancelled, position.isKnown
      else { return nil }
      return Turn(position.take(Element.self))
    }
  }
}

/// A consumer, without its elements.
struct ConsumerPlace: Sendable {
  let waiter: Waiter
  let epoch: UInt64
  /// Whether an element that is ready is one that will be taken: nothing is derived, and filtered out.
  let isPlain: Bool
  /// Whether what is ready may be dropped, and replaced, before it is taken.
  let replacesOld: Bool

  /// How many elements it could take now, or skip.
  var pendingCount: Int { waiter.pendingCount + waiter.returnedCount }

  /// How many were dropped that had been ready.
  var replacedCount: Int { replacesOld ? waiter.droppedCount : 0 }

  /// Whether it could take or skip one now.
  var isReadable: Bool { waiter.isReadable(as: epoch) }

  /// Gives elements back to the next consumer, which takes them before all others.
  func giveBack(_ elements: [any Sendable]) {
    waiter.takeBack(elements, of: epoch)
  }

  /// Waits until the pause is over, and returns how many of the elements that are there it was for.
  func wait(for pause: DebounceWait) async -> Int {
    let offered = await pause(waiter)
    return offered - waiter.droppedCount + waiter.returnedCount
  }
}
