/// One consumer of a subscription, which can look without taking and take without waiting:
/// `answer`'s.
struct Consumer<Element: Sendable>: AsyncIteratorProtocol, Sendable {
  private let feed: Feed<Element>
  private let ticket: UInt64
  private let pause: Pause?
  /// Whether another task may take while this one does. Both have one ticket, so all is taken under the
  /// cursor's lock.
  private let isShared: Bool

  /// It stands for the iterator, which is not to be used beside it.
  init(_ iterator: Subscription<Element>.Iterator, pausing pause: Pause?, isShared: Bool) {
    feed = iterator.feed
    // Unlike an iterator, this may take in one task while it sleeps in another.
    let isAlone = iterator.ticket == Position.onlyTicket
    ticket = isAlone ? feed.waiter.makeTicket() : iterator.ticket
    self.pause = pause
    self.isShared = isShared
  }

  /// The next element, as `nextUnlessCancelled` of an iterator gives it: an element that is there
  /// although the task was just cancelled is left to the next consumer.
  ///
  /// With a pause, it is the newest element after the pause; those before it are dropped. Nothing is
  /// taken before the pause is over, so that any other consumer finds it all. Nil at the end, if the
  /// task is cancelled, or if a newer consumer has asked, which is seen after the pause.
  func next(isolation: isolated (any Actor)?) async -> Element? {
    if pause == nil, !isShared {
      return await Subscription.Iterator(feed, ticket: ticket).nextUnlessCancelled(
        isolation: isolation)
    }
    while await feed.waiter.waitForElement(as: ticket, isolation: isolation) {
      await pause?(feed.waiter)
      if let element = pause == nil ? takeReady() : takeNewest() { return element }
    }
    return nil
  }

  /// An element that is ready. Nil also if the task is cancelled.
  func takeReady() -> Element? {
    feed.takeReady(as: ticket)
  }

  /// How many elements it could take now, or skip.
  var pendingCount: Int { feed.waiter.pendingCount }

  private func takeNewest() -> Element? {
    var newest: Element?
    var origins: [Origin] = []
    while let element = takeReady() {
      Causes.note(of: origins) { .superseded($0) }
      origins = Causes.current
      newest = element
    }
    return newest
  }
}
