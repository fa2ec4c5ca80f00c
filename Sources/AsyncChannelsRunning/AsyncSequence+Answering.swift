import AsyncChannels

/// What all forms of `answer` come to.
extension AsyncSequence where Self: Sendable, Element: Sendable, Failure == Never {
  func answer<Answer: Sendable>(
    _ options: AnswerOptions<Element>, by work: WorkFunction<Element, Answer>,
    publish: @escaping Publish<Element, Answer>
  ) async {
    func answering(_ consumer: Consumer<Element>?) -> Answering<Element, Answer> {
      Answering(options, of: consumer, by: work, publish: publish)
    }
    let iterator = makeAsyncIterator()
    if let own = iterator as? Subscription<Element>.Iterator {
      await answering(Consumer(own)).run()
    } else if options.rules.pause == nil {
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
