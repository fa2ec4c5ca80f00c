import AsyncChannels

/// One consumer of a subscription, which waits without taking, and takes without waiting: `answer`'s.
///
/// Several tasks of one call take with it. They have one epoch, so all is taken under the cursor's lock.
final class Consumer<Element: Sendable>: AnswerSource, Sendable {
  private let upstream: Upstream<Element>
  let place: ConsumerPlace

  /// It stands for the iterator, which is not to be used beside it.
  init(_ iterator: Subscription<Element>.Iterator) {
    upstream = iterator.upstream
    // Unlike an iterator, this may take in one task while it sleeps in another.
    let isAlone = iterator.epoch == Waiter.onlyEpoch
    let waiter = upstream.waiter
    let isPlain = if case .cursor = upstream { true } else { false }
    place = ConsumerPlace(
      waiter: waiter, epoch: isAlone ? waiter.makeEpoch() : iterator.epoch,
      isPlain: isPlain,
      isMerged: waiter.takesSeveralAsOne,
      replacesOld: waiter.replacesOld)
  }

  /// Waits until there may be something to take. False at the end, if the task is cancelled, or if a newer
  /// consumer has asked.
  func waitForElement(isolation: isolated (any Actor)?) async -> Bool {
    await place.waiter.waitForElement(as: place.epoch, isolation: isolation)
  }

  /// A copy of the newest element, which it does not take.
  var newest: Element? { upstream.newest }

  /// Takes one element that is there, or skips it. Takes nothing if the task is cancelled.
  func take() -> TakenWork {
    var work: AnyWork?
    if case .cursor(let cursor) = upstream {
      cursor.takeUnfollowed(as: place.epoch) { work = Work($0) }
    }
    return work.map(TakenWork.work) ?? takeElsewhere()
  }

  private func takeElsewhere() -> TakenWork {
    switch upstream.take(.more, as: place.epoch) {
    case .element(let element): .work(Work(element))
    case .skipped: .skipped
    case .nothing: .nothing
    }
  }
}

/// A consumer, without its elements.
struct ConsumerPlace: Sendable {
  let waiter: Waiter
  let epoch: UInt64
  /// Whether an element that is ready is one that will be taken: nothing is derived, and filtered out.
  let isPlain: Bool
  /// Whether several elements may be taken as one.
  let isMerged: Bool
  /// Whether what is ready may be dropped, and replaced, before it is taken.
  let replacesOld: Bool

  /// How many elements it could take now, or skip.
  var pendingCount: Int { waiter.pendingCount }

  /// The same, if they are taken one by one.
  var countInOrder: Int { isMerged ? 0 : pendingCount }

  /// How many were dropped that had been ready.
  var replacedCount: Int { replacesOld ? waiter.droppedCount : 0 }

  /// Whether it could take or skip one now.
  var isReadable: Bool { waiter.isReadable(as: epoch) }

  /// Waits until the pause is over, and returns how many of the elements that are there it was for.
  func wait(for pause: Pause, _ quiet: @escaping @Sendable () -> Duration?) async -> Int {
    await pause.wait(waiter, quiet) - waiter.droppedCount
  }
}
