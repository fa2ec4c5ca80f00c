import AsyncChannels

/// What makes an answer, and perhaps reports how far it has come.
enum WorkFunction<Element: Sendable, Answer: Sendable>: Sendable {
  case silent(@Sendable (Element) async -> Answer)
  case reporting(@Sendable (Work<Element>, Fates) async -> Answer)

  /// Work that can fail.
  static func trying<Value, Failure: Error>(
    _ work: @escaping @Sendable (Element) async throws(Failure) -> Value, _ retry: Retry?,
    on clock: DebounceClock
  ) -> Self where Answer == Result<Value, Failure> {
    .silent { element in
      await Result(retrying: retry, on: clock) { () async throws(Failure) in
        try await work(element)
      }
    }
  }

  /// Work with an inlet for its progress. What it sends is published in order, before the answer, as long as
  /// the answer would count. After that the inlet refuses it, and nothing that was sent before is published.
  static func reporting<Value, Failure: Error, Progress: Sendable>(
    _ work: @escaping @Sendable (Element, Inlet<Progress>) async throws(Failure) -> Value,
    to publish: @escaping Publish<Element, Progress>, _ retry: Retry?, on clock: DebounceClock
  ) -> Self where Answer == Result<Value, Failure> {
    .reporting { taken, fates in
      let reports = Channel<Progress>()
      let received = reports.outlet.subscribe()
      let inlet = Inlet<Progress>.forwarding { progress in
        fates.isWanted(taken) ? reports.send(progress) : .finished(progress)
      }
      return await withDiscardingTaskGroup { group in
        defer { reports.finish() }
        group.addTask {
          for await reports in received.batches(ofAtMost: 64) {
            await fates.publish(reports, of: taken, isolation: publish.isolation, to: publish)
          }
        }
        return await Result(retrying: retry, on: clock) { () async throws(Failure) in
          try await work(taken.element, inlet)
        }
      }
    }
  }
}

extension Fates {
  /// - Parameter isolation: That of `publish`, so that nothing else can run there between the look whether
  ///   progress is wanted and its publication.
  fileprivate func publish<Element: Sendable, Progress: Sendable>(
    _ reports: [Progress], of work: Work<Element>, isolation: isolated (any Actor)?,
    to publish: Publish<Element, Progress>
  ) async {
    work.becomeCause()
    for progress in reports where isWanted(work) { await publish(work.element, progress) }
    work.endAsCause()
  }
}
