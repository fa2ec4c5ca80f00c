/// One consumer of a subscription, which can look without taking and take without waiting:
/// `answer`'s.
struct Consumer<Element: Sendable>: Sendable {
  private let feed: Feed<Element>
  private let ticket: UInt64

  /// It stands for the iterator, which is not to be used beside it.
  init(_ iterator: Subscription<Element>.Iterator) {
    feed = iterator.feed
    ticket = iterator.ticket
  }

  /// The next element, as `nextUnlessCancelled` of an iterator gives it.
  func next(isolation: isolated (any Actor)?) async -> Element? {
    await Subscription<Element>.Iterator(feed, ticket: ticket).waitForNext(isolation: isolation)
  }

  /// An element that is ready. Nil also if the task is cancelled.
  func takeReady() -> Element? {
    feed.takeReady(as: ticket)
  }

  /// The newest element, after the pause; those before it are dropped.
  ///
  /// Nothing is taken before the pause is over, so that any other consumer finds it all. Nil at the
  /// end, if the task is cancelled, or if a newer consumer has asked, which is seen after the pause.
  func next(after pause: Pause, isolation: isolated (any Actor)?) async -> Element? {
    while await feed.waiter.waitForElement(as: ticket, isolation: isolation) {
      await pause.wait(watching: feed.waiter)
      if let newest = takeNewest() { return newest }
    }
    return nil
  }

  private func takeNewest() -> Element? {
    var newest: Element?
    while let element = takeReady() { newest = element }
    return newest
  }
}
