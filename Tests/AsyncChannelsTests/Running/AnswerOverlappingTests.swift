import AsyncChannelsRunning
import AsyncChannelsTesting
import Synchronization
import TestSupport
import XCTest

/// `answer(overlap:)`: each element has an overlap of its own.
@MainActor
final class AnswerOverlappingTests: XCTestCase {
  fileprivate struct Job: Sendable, Equatable, CustomStringConvertible {
    let description: String
    let overlap: Overlap
    var seconds = 1

    static func refresh(_ number: Int, _ seconds: Int = 1) -> Job {
      Job(description: "refresh \(number)", overlap: .latestOnly, seconds: seconds)
    }

    static func more(_ number: Int, _ seconds: Int = 1) -> Job {
      Job(description: "more \(number)", overlap: .firstOnly, seconds: seconds)
    }

    static func save(_ number: Int, _ seconds: Int = 1) -> Job {
      Job(description: "save \(number)", overlap: .oneAtATime, seconds: seconds)
    }

    static func image(_ number: Int, _ seconds: Int = 1) -> Job {
      Job(description: "image \(number)", overlap: .concurrent, seconds: seconds)
    }
  }

  /// Sends jobs in a row, and returns in seconds when each was begun, ignored and answered.
  private func events(of jobs: [[Job]], isReported: Bool, isIsolated: Bool) async throws -> [String]
  {
    let events = Record<String>()
    try await withTestTime { time in
      let (clock, start) = (time.clock, time.clock.now)
      let note: @Sendable (String) -> Void = { event in
        events.add("\(start.duration(to: clock.now).components.seconds): \(event)")
      }
      let input = Input<Job>()
      let busy: Inlet<Bool>? = isReported ? Inlet { note($0 ? "busy" : "idle") } : nil
      let ignored = Inlet<Job> { note("\($0) ignored") }
      let work: @Sendable (Job) async -> Void = { job in
        note("\(job) begins")
        try? await clock.sleep(for: .seconds(job.seconds))
      }
      let run = Task {
        if isIsolated {
          await input.received.answer(.each(\.overlap), busy: busy, ignored: ignored, by: work) {
            job, _ in
            note("\(job) answered")
          }
        } else {
          await Self.elsewhere {
            await input.received.answer(.each(\.overlap), busy: busy, ignored: ignored, by: work) {
              job, _ in
              note("\(job) answered")
            }
          }
        }
      }
      await time.idle()
      for jobs in jobs {
        for job in jobs {
          input.inlet.send(job)
          await time.idle()
        }
        await time.advance(by: .seconds(1))
      }
      await time.run()
      input.finish()
      await run.value
    }
    return events.events
  }

  @concurrent
  nonisolated private static func elsewhere(_ body: @Sendable () async -> Void) async {
    await body()
  }

  private func expect(
    _ expected: [String], of jobs: [Job]..., isReported: Bool = false, line: UInt = #line
  ) async throws {
    for isIsolated in [true, false] {
      let events = try await events(of: jobs, isReported: isReported, isIsolated: isIsolated)
      XCTAssertEqual(events, expected, "isolated: \(isIsolated)", line: line)
    }
  }

  func test_C122b_aRefreshReplacesARequestForMoreWhichIsIgnoredMeanwhile() async throws {
    try await expect(
      [
        "0: more 1 begins", "0: refresh 2 begins", "0: more 3 ignored", "0: refresh 4 begins",
        "1: refresh 4 answered", "1: more 5 begins", "2: more 5 answered",
      ],
      of: [.more(1), .refresh(2), .more(3), .refresh(4)], [.more(5)])
  }

  func test_C122b_concurrentWorkIsBesideOthersAndIsSupersededByARefresh() async throws {
    try await expect(
      [
        "0: image 1 begins", "0: image 2 begins", "0: more 3 ignored", "1: image 1 answered",
        "1: refresh 4 begins", "1: image 5 begins", "2: refresh 4 answered", "2: image 5 answered",
      ],
      of: [.image(1), .image(2, 5), .more(3)], [.refresh(4), .image(5)])
  }

  func test_C122c_aSaveWaitsForWorkInProgressAndLaterElementsWaitForIt() async throws {
    try await expect(
      [
        "0: image 1 begins", "2: image 1 answered", "2: save 2 begins", "4: save 2 answered",
        "4: more 4 ignored", "4: refresh 3 begins", "5: refresh 3 answered",
      ],
      of: [.image(1, 2), .save(2, 2), .refresh(3), .more(4)])
  }

  func test_C122b_C122c_aRequestForMoreThatCameDuringASaveIsIgnoredThoughItIsLookedAtLater()
    async throws
  {
    try await expect(
      [
        "0: save 1 begins", "1: save 1 answered", "1: more 2 ignored", "1: save 3 begins",
        "2: save 3 answered", "2: more 4 begins", "3: more 4 answered",
      ],
      of: [.save(1), .more(2), .save(3)], [], [.more(4)])
  }

  func test_C122d_busyIsTrueWhileAnElementIsLeftThatMayBegin() async throws {
    try await expect(
      [
        "0: busy", "0: save 1 begins", "1: save 1 answered", "1: refresh 2 begins", "2: idle",
        "2: refresh 2 answered",
      ],
      of: [.save(1), .refresh(2)], isReported: true)
    try await expect(
      ["0: busy", "0: save 1 begins", "1: save 1 answered", "1: more 2 ignored", "1: idle"],
      of: [.save(1), .more(2)], isReported: true)
    try await expect(
      [
        "0: busy", "0: save 1 begins", "1: save 1 answered", "1: more 2 ignored",
        "1: image 3 begins", "2: idle", "2: image 3 answered",
      ],
      of: [.save(1), .more(2), .image(3)], isReported: true)
    try await expect(
      [
        "0: busy", "0: save 1 begins", "1: save 1 answered", "1: refresh 2 begins",
        "1: image 3 begins", "2: refresh 2 answered", "2: idle", "2: image 3 answered",
      ],
      of: [.save(1), .refresh(2), .image(3)], isReported: true)
  }

  /// It was ready when the last answer but one was published, and work that was superseded goes on.
  func test_C79b_C101_itIsNotBusyForWhatANewerConsumerHasTaken() async throws {
    try await withTestTime { time in
      let (input, phases, published) = (Input<Int>(), Record<Bool>(), Record<Int>())
      let (old, new) = (Gate(), Gate())
      let received = input.received
      let run = Task {
        await received.answer(
          .each({ $0 < 3 ? .latestOnly : .concurrent }), busy: Inlet { phases.add($0) }
        ) { number in
          await (number == 1 ? old : new).pass()
        } publish: { number, _ in
          published.add(number)
          if number == 2 {
            input.inlet.send(4)
          } else {
            XCTAssertEqual(received.takeNow(as: received.takeOver()).element, 4)
          }
        }
      }
      for number in 1...3 {
        input.inlet.send(number)
        await time.idle()
      }
      new.open()
      await time.idle()
      XCTAssertEqual(published.events, [2, 3])
      XCTAssertEqual(phases.events, [true, false])
      old.open()
      await run.value
    }
  }

  func test_C98c_C122c_aCancelledCallWorksOnASaveThatWaits() async throws {
    try await withTestTime { time in
      let (input, begun) = (Input<Job>(), Record<Job>())
      @MainActor func call() -> Task<Void, Never> {
        Task { [clock = time.clock] in
          await input.received.answer(.each(\.overlap)) { job in
            begun.add(job)
            try? await clock.sleep(for: .seconds(job.seconds))
          } publish: { _, _ in
          }
        }
      }
      let first = call()
      let jobs: [Job] = [.image(1), .save(2), .save(3), .image(4)]
      for job in jobs { input.inlet.send(job) }
      await time.idle()
      XCTAssertEqual(begun.events, [.image(1)])
      first.cancel()
      XCTAssertEqual(input.received.pendingCount, 2)
      let second = call()
      await time.run()
      XCTAssertEqual(begun.events, jobs)
      input.finish()
      await first.value
      await second.value
    }
  }

  func test_C122a_workThatFailsIsAnsweredWithItsError() async {
    struct Refused: Error, Equatable {}
    var results: [Int: Result<Int, Refused>] = [:]
    let work: @Sendable (Int) async throws(Refused) -> Int = { number throws(Refused) in
      if number == 2 { throw Refused() }
      return number
    }
    await Outlet.just(1, 2, 3).answer(.each({ _ in .concurrent }), by: work) { number, result in
      results[number] = result
    }
    XCTAssertEqual(results, [1: .success(1), 2: .failure(Refused()), 3: .success(3)])
  }

  /// From a sequence that is no subscription, too.
  func test_C122a_eachOverlapForAllElementsIsThatOverlap() async throws {
    for overlap in [Overlap.oneAtATime, .concurrent] {
      let (numbers, continuation) = AsyncStream.makeStream(of: Int.self)
      for number in 0..<1_000 { continuation.yield(number) }
      continuation.finish()
      let underWay = Locked((now: 0, most: 0))
      var published: [Int] = []
      await UncheckedNumbers(numbers).answer(.each({ _ in overlap })) { number in
        underWay.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
        await Task.yield()
        underWay.withLock { $0.now -= 1 }
      } publish: { number, _ in
        published.append(number)
      }
      XCTAssertEqual(published.sorted(), Array(0..<1_000))
      if overlap == .oneAtATime {
        XCTAssertEqual(published, Array(0..<1_000))
        XCTAssertEqual(underWay.withLock { $0.most }, 1)
      }
    }
  }

  func test_C122a_ofRefreshesInARowTheNewestBegins() async throws {
    try await withTestTime(orders: .random(100, seed: 1)) { _ in
      let (input, begun, answered) = (Input<Job>(), Record<Job>(), Record<Job>())
      for job: Job in [.refresh(1), .refresh(2), .more(3), .refresh(4), .save(5), .refresh(6)] {
        input.inlet.send(job)
      }
      input.finish()
      await input.received.answer(.each(\.overlap)) {
        begun.add($0)
      } publish: { job, _ in
        answered.add(job)
      }
      XCTAssertFalse(begun.events.contains(.refresh(1)))
      XCTAssertFalse(begun.events.contains(.more(3)))
      XCTAssertEqual(answered.events.suffix(3), [.refresh(4), .save(5), .refresh(6)])
    }
  }

  /// On several threads, where a task may begin as soon as it is made. The call lets others run after 64 steps.
  func test_C122a_ofRefreshesThatAreReadyNoneButTheNewestBegins() async throws {
    for round in 0..<200 {
      let (input, begun) = (Input<Int>(), Record<Int>())
      for number in 0..<130 { input.inlet.send(number) }
      input.finish()
      let run = Task.detached {
        await input.received.answer(.each({ _ in .latestOnly }), by: { begun.add($0) }) { _, _ in
        }
      }
      try await within { await run.value }
      XCTAssertEqual(begun.events, [129], "round \(round)")
    }
  }

  /// What a policy drops is neither worked on nor ignored, and what it keeps is decided as in any subscription.
  func test_C122b_whatCameDuringWorkIsIgnoredWithAnyPolicy() async throws {
    for policy in [BufferingPolicy.unbounded, .bufferingNewest(2), .bufferingOldest(2)] {
      try await withTestTime { time in
        let (input, events) = (Channel<Job>(), Record<String>())
        let received = input.outlet.subscribe(buffering: policy)
        let run = Task { [clock = time.clock] in
          await received.answer(
            .each(\.overlap), ignored: Inlet { events.add("\($0) ignored") }
          ) { _ in
            await clock.sleepThrough(.seconds(1))
          } publish: { job, _ in
            events.add("\(job) answered")
          }
        }
        await time.idle()
        input.send(.save(1))
        await time.idle()
        for number in 2...5 { input.send(.more(number)) }
        await time.run()
        input.send(.more(6))
        await time.run()
        let kept =
          policy == .unbounded ? [2, 3, 4, 5] : policy == .bufferingNewest(2) ? [4, 5] : [2, 3]
        XCTAssertEqual(
          events.events,
          ["save 1 answered"] + kept.map { "more \($0) ignored" } + ["more 6 answered"], "\(policy)"
        )
        input.finish()
        await run.value
      }
    }
  }

  /// What is dropped after the answer, before the call looks at it, makes nothing late that came after the answer.
  func test_C122b_whatReplacesALateElementIsNotLate() async throws {
    try await withTestTime { time in
      let (input, events) = (Channel<Job>(), Record<String>())
      let received = input.outlet.subscribe(buffering: .bufferingNewest(2))
      let run = Task { [clock = time.clock] in
        await received.answer(.each(\.overlap), ignored: Inlet { events.add("\($0) ignored") }) {
          _ in
          await clock.sleepThrough(.seconds(1))
        } publish: { job, _ in
          events.add("\(job) answered")
          if job.overlap == .oneAtATime { input.send(.more(4)) }
        }
      }
      await time.idle()
      input.send(.save(1))
      await time.idle()
      input.send(.more(2))
      input.send(.more(3))
      await time.run()
      XCTAssertEqual(events.events, ["save 1 answered", "more 3 ignored", "more 4 answered"])
      input.finish()
      await run.value
    }
  }

  func test_C122a_anElementIsReleasedSoonAfterItsAnswer() async throws {
    let input = Input<Tracked>()
    let (census, answered) = (Census(), Channel<Void>())
    let answers = answered.outlet.subscribe()
    let run = Task {
      await input.received.answer(.each({ _ in .concurrent }), by: { _ in }) { _, _ in
        answered.send()
      }
    }
    var most = 0
    for number in 0..<1_000 {
      input.inlet.send(Tracked(number, in: census))
      _ = await answers.next()
      most = max(most, census.count)
    }
    input.finish()
    try await within { await run.value }
    XCTAssertLessThan(most, 100)
  }

  func test_C122a_afterABurstNothingIsKept() async throws {
    try await withTestTime { time in
      let (input, census) = (Input<Tracked>(), Census())
      let run = Task {
        await input.received.answer(.each({ _ in .concurrent }), by: { _ in }) { _, _ in }
      }
      for number in 0..<1_000 { input.inlet.send(Tracked(number, in: census)) }
      await time.idle()
      XCTAssertLessThan(census.count, 10)
      input.finish()
      await run.value
    }
  }

  /// Without an isolation, the task that publishes may publish the answers of others, too, and be superseded.
  func test_C122c_aSaveWaitsForAnAnswerThatAnotherTaskPublishes() async throws {
    let (input, events) = (Input<Job>(), Record<String>())
    let mayGoOn = DispatchSemaphore(value: 0)
    let run = Task.detached {
      await input.received.answer(.each(\.overlap)) { job in
        events.add("\(job) begins")
      } publish: { job, _ in
        events.add("\(job) answered")
        if job.overlap == .concurrent { mayGoOn.wait() }
      }
    }
    for (job, event) in [(Job.image(1), "image 1 answered"), (.refresh(2), "refresh 2 begins")] {
      input.inlet.send(job)
      try await within { while !events.events.contains(event) { await Task.yield() } }
    }
    input.inlet.send(.save(3))
    // It has time to begin.
    await giveWay(100)
    mayGoOn.signal()
    input.finish()
    try await within { await run.value }
    XCTAssertEqual(
      events.events,
      [
        "image 1 begins", "image 1 answered", "refresh 2 begins", "refresh 2 answered",
        "save 3 begins", "save 3 answered",
      ])
  }

  /// On several threads, with jobs of all kinds, and a call that is cancelled: until then nothing else begins while a
  /// save is worked on, and it begins when nothing is left that has an answer before it. Each save is begun once.
  func test_C122c_nothingIsBesideASave() async throws {
    for round in 0..<Length.rounds(1_000) {
      var random = SplitMix64(seed: UInt64(round))
      let jobs = (0..<40).map { number -> Job in
        [.refresh(number), .more(number), .save(number), .image(number)][random.number(0...3)]
      }
      let input = Input<Job>()
      let seen = Locked(Seen())
      @Sendable func call(_ call: Int, on elsewhere: Bool) -> Task<Void, Never> {
        let work: @Sendable (Job) async -> Void = { job in
          seen.withLock { $0.begin(job, in: call, isCancelled: Task.isCancelled) }
          for _ in 0..<job.number % 4 { await Task.yield() }
        }
        let publish: @Sendable (Job) -> Void = { job in seen.withLock { $0.answer(job) } }
        if elsewhere {
          return Task.detached {
            await input.received.answer(.each(\.overlap), by: work) { job, _ in publish(job) }
          }
        }
        return Task { @MainActor in
          await input.received.answer(.each(\.overlap), by: work) { job, _ in publish(job) }
        }
      }
      let isElsewhere = round.isMultiple(of: 2)
      let first = call(0, on: isElsewhere)
      for job in jobs {
        input.inlet.send(job)
        if random.oneIn(5) { await Task.yield() }
      }
      var second: Task<Void, Never>?
      if random.oneIn(2) {
        first.cancel()
        second = call(1, on: isElsewhere)
      }
      input.finish()
      try await within { [second] in
        await first.value
        await second?.value
      }
      seen.withLock { seen in
        XCTAssertEqual(seen.faults, [], "round \(round)")
        for job in jobs where job.overlap == .oneAtATime {
          XCTAssertEqual(seen.begun.count { $0.job == job }, 1, "\(job), round \(round)")
        }
      }
    }
  }

  private struct Seen {
    var begun: [(job: Job, call: Int)] = []
    var answered: [Job] = []
    var faults: [String] = []

    mutating func begin(_ job: Job, in call: Int, isCancelled: Bool) {
      begun.append((job, call))
      // Of a cancelled call, no answer is to come, so nothing waits for one.
      if isCancelled { return }
      for (other, otherCall) in begun.dropLast()
      where otherCall == call && other.overlap == .oneAtATime {
        if !answered.contains(other) { faults.append("\(job) begins beside \(other)") }
      }
      if job.overlap == .oneAtATime {
        for (other, otherCall) in begun.dropLast() where otherCall == call {
          if !answered.contains(other), other.number > newestRefresh(in: call) {
            faults.append("\(job) begins before the answer to \(other)")
          }
        }
      }
    }

    mutating func answer(_ job: Job) {
      if answered.contains(job) { faults.append("\(job) is answered twice") }
      answered.append(job)
    }

    /// What was sent before that may be superseded.
    private func newestRefresh(in call: Int) -> Int {
      let refreshes = begun.filter { $0.call == call && $0.job.overlap == .latestOnly }
      return (refreshes.map(\.job.number).max() ?? 0) - 1
    }
  }
}

extension AnswerOverlappingTests.Job {
  fileprivate var number: Int { Int(description.split(separator: " ")[1])! }
}

private struct UncheckedNumbers: AsyncSequence, @unchecked Sendable {
  typealias Failure = Never
  let stream: AsyncStream<Int>

  init(_ stream: AsyncStream<Int>) { self.stream = stream }

  func makeAsyncIterator() -> AsyncStream<Int>.Iterator { stream.makeAsyncIterator() }
}
