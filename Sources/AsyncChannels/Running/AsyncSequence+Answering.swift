/// What all forms of `answer` come to.
extension AsyncSequence where Self: Sendable, Element: Sendable, Failure == Never {
  /// - Parameter overlap: Nil if each element has its own, which `overlapOf` tells.
  func answer<Answer: Sendable>(
    _ overlap: Overlap?, overlapOf: @escaping @Sendable (Element) -> Overlap = { _ in .oneAtATime },
    after quiet: Duration, clock: some Clock<Duration>, busy: Inlet<Bool>?,
    isBusyInPause: Bool, ignored: Inlet<Element>?,
    by work: WorkFunction<Element, Answer>, abandoned: Abandoned<Element>?,
    to publish: Publish<Element, Answer>
  ) async {
    if quiet < .zero {
      Misuse.trap(
        "An answer to \(Element.self) cannot begin after \(quiet): the duration is at least zero.")
    }
    var pause: DebounceWait?
    if quiet > .zero {
      let clock = DebounceClock(clock)
      pause = { await Debounce(of: quiet, on: clock, watching: $0).wait() }
    }
    let rules = AnswerRules(
      overlap: overlap, pause: pause, busy: busy, isBusyInPause: isBusyInPause,
      tellsIgnored: ignored != nil, tellsAbandoned: abandoned != nil)
    func answering(_ consumer: Consumer<Element>?) -> Answering<Element, Answer> {
      Answering(
        rules, overlapOf: overlapOf, of: consumer, tellingIgnored: ignored, abandoned: abandoned,
        by: work, publish: publish)
    }
    let iterator = makeAsyncIterator()
    if let own = iterator as? Subscription<Element>.Iterator {
      await answering(Consumer(own)).run()
    } else if pause == nil {
      await answering(nil).run(from: IteratedSource(iterator), isolation: publish.isolation)
    } else {
      await relayed { await answering(Consumer($0.makeAsyncIterator())).run() }
    }
  }

  /// The elements as a subscription, which can be watched without taking.
  private func relayed(
    isolation: isolated (any Actor)? = #isolation, to body: (Subscription<Element>) async -> Void
  ) async {
    let relay = Channel<Element>()
    let received = relay.outlet.subscribe()
    await withDiscardingTaskGroup { group in
      group.addTask {
        for await element in self { relay.send(element) }
        relay.finish()
      }
      await body(received)
      group.cancelAll()
    }
  }
}
