import AsyncChannelsTesting
import AsyncChannelsRecording
import Synchronization
import TestSupport
import XCTest

@testable import AsyncChannels
@testable import AsyncChannelsRunning

/// C98e–C98h: what becomes of an element that a call has taken, and who is told.
@MainActor
final class AnswerAbandonedTests: XCTestCase {
  private let events = Record<String>()

  func test_C98e_C98f_whatIsWorkedOnWhenTheCallIsCancelledIsAbandonedOnce() async throws {
    try await withTestTime(orders: .random(10, seed: 98)) { time in
      for overlap in Overlap.allCases {
        let (input, gate) = (Input<Int>(), Gate())
        let run = call(overlap, of: input.received) { _ in await gate.pass() }
        for number in 1...3 {
          input.inlet.send(number)
          await time.idle()
        }
        _ = events.take()
        run.cancel()
        XCTAssertEqual(events.events, [], "Never inside cancel().")
        await time.idle()
        let expected =
          switch overlap {
          case .oneAtATime, .firstOnly: ["abandoned 1"]
          case .latestOnly: ["abandoned 3"]
          case .concurrent: ["abandoned 1", "abandoned 2", "abandoned 3"]
          }
        XCTAssertEqual(events.take(), expected, "\(overlap): it waits for no work.")
        gate.open()
        await run.value
        XCTAssertEqual(events.take(), ["returned"], "\(overlap)")
      }
    }
  }

  func test_C98e_whatWasAnsweredSupersededOrIgnoredIsNotAbandoned() async throws {
    try await withTestTime { time in
      for overlap in Overlap.allCases {
        let input = Input<Int>()
        let run = call(overlap, of: input.received) { _ in }
        for number in 1...3 { input.inlet.send(number) }
        await time.idle()
        _ = events.take()
        run.cancel()
        await run.value
        XCTAssertEqual(events.take(), ["returned"], "\(overlap)")
      }
    }
  }

  /// Two answers are there, and the first one cancels the call when it is published.
  func test_C98e_anAnswerThatIsNotPublishedYetIsAbandoned() async throws {
    try await withTestTime { time in
      let (input, gate) = (Input<Int>(), Gate())
      let calls = Locked<Task<Void, Never>?>(nil)
      let run = Task { [events] in
        await input.received.answer(.concurrent) { _ in
          await gate.pass()
        } abandoned: {
          events.add("abandoned \($0)")
        } publish: { number, _ in
          events.add("answered \(number)")
          calls.withLock { $0 }?.cancel()
        }
      }
      calls.withLock { $0 = run }
      for number in 1...3 { input.inlet.send(number) }
      await time.idle()
      gate.open()
      await run.value
      XCTAssertEqual(events.count, 3)
      XCTAssertEqual(events.events.count { $0.hasPrefix("answered") }, 1, "\(events.events)")
    }
  }

  func test_C98f_itIsToldInTheIsolationOfItsClosureAndWithoutOne() async throws {
    let (input, isOnMain) = (Input<Int>(), Record<Bool>())
    for isElsewhere in [false, true] {
      let begun = Record<Int>()
      let work: @Sendable (Int) async -> Void = {
        begun.add($0)
        for await _ in Outlet<Void>.never {}
      }
      let run =
        isElsewhere
        ? Task.detached {
          await input.received.answer(by: work) { _ in
            isOnMain.add(Thread.isMainThread)
          } publish: { _, _ in
          }
        }
        : Task { @MainActor in
          await input.received.answer(by: work) { _ in
            MainActor.assertIsolated()
            isOnMain.add(true)
          } publish: { _, _ in
          }
        }
      input.inlet.send(1)
      try await until("it works") { begun.count == 1 }
      try await run.cancelAndWait()
      XCTAssertEqual(isOnMain.take().count, 1, "elsewhere: \(isElsewhere)")
    }
  }

  /// While `cancel()` is under way, work finds that it is cancelled before its call does.
  func test_C98e_whatWorkGivesSinceItIsCancelledIsNotPublished() async throws {
    let (input, begun, published) = (Input<Int>(), Record<Int>(), DispatchSemaphore(value: 0))
    let run = Task.detached { [events] in
      await input.received.answer(.concurrent) { number in
        await withTaskCancellationHandler {
          begun.add(number)
          for await _ in Outlet<Void>.never {}
        } onCancel: {
          // The second is cancelled between the first and the last, or the other way round.
          if number != 2 { XCTAssertEqual(published.wait(timeout: .now() + 0.1), .timedOut) }
        }
      } abandoned: {
        events.add("abandoned \($0)")
      } publish: { _, _ in
        published.signal()
      }
    }
    for number in 1...3 { input.inlet.send(number) }
    try await until("they work") { begun.count == 3 }
    try await run.cancelAndWait()
    XCTAssertEqual(events.take(), ["abandoned 1", "abandoned 2", "abandoned 3"])
  }

  /// Work that cancels its own task gives no answer, and leaves the others alone.
  func test_C98e_workThatCancelsItsTaskIsAbandoned() async throws {
    try await withTestTime { time in
      let (input, isBusy, gate) = (Input<Int>(), CurrentValue(false), Gate())
      let run = Task { [events] in
        await input.received.answer(.concurrent, busy: isBusy.inlet) { number in
          await gate.pass()
          if number == 1 { withUnsafeCurrentTask { $0?.cancel() } }
        } abandoned: {
          events.add("abandoned \($0)")
        } publish: { number, _ in
          events.add("\(number)")
        }
      }
      for number in 1...2 { input.inlet.send(number) }
      await time.idle()
      XCTAssertTrue(isBusy.value)
      gate.open()
      await time.idle()
      XCTAssertFalse(isBusy.value)
      XCTAssertEqual(events.take(), ["2"])
      run.cancel()
      await run.value
      XCTAssertEqual(events.take(), ["abandoned 1"])
    }
  }

  /// An element that waits for others was taken, since its overlap had to be known.
  func test_C98e_C122c_anElementThatWaitsForOthersIsAbandoned() async throws {
    try await withTestTime { time in
      let (input, gate) = (Input<Int>(), Gate())
      let run = Task { [events] in
        await input.received.answer(.each({ $0 == 1 ? .concurrent : .oneAtATime })) { _ in
          await gate.pass()
        } abandoned: {
          events.add("abandoned \($0)")
        } publish: { number, _ in
          events.add("\(number)")
        }
      }
      for number in 1...3 { input.inlet.send(number) }
      await time.idle()
      run.cancel()
      gate.open()
      await run.value
      XCTAssertEqual(events.events, ["abandoned 1", "abandoned 2"])
      XCTAssertEqual(input.received.pendingCount, 1)
    }
  }

  /// The next call begins before the cancelled one has returned, and with what that has left.
  func test_C98g_nothingOfTheNextCallComesBeforeIt() async throws {
    try await withTestTime(orders: .random(Length.rounds(200), seed: 7)) { time in
      for overlap in Overlap.allCases {
        for turns in [0, 1, 3] {
          let (input, gate) = (Input<Int>(), Gate())
          let first = call(overlap, of: input.received) { _ in await gate.pass() }
          input.inlet.send(1)
          await time.idle()
          first.cancel()
          input.inlet.send(2)
          await giveWay(turns)
          let second = call(overlap, of: input.received) { [events] in events.add("begins \($0)") }
          await time.idle()
          XCTAssertEqual(events.take(), ["abandoned 1", "begins 2", "answered 2"], "\(overlap)")
          gate.open()
          second.cancel()
          await first.value
          await second.value
          _ = events.take()
        }
      }
    }
  }

  /// A derived subscription runs its closures when it takes: this one is told before the call returns.
  func test_C98d_C98g_anElementThatWasBeingTakenIsAbandonedBeforeTheCallReturns() async throws {
    for overlap in Overlap.allCases {
      let channel = Channel<Int>()
      let received = channel.outlet.map { number in
        cancelThisTask()
        return number
      }.subscribe()
      channel.send(1)
      await call(overlap, of: received) { _ in }.value
      XCTAssertEqual(events.take(), ["abandoned 1", "returned"], "\(overlap)")
    }
  }

  func test_C98h_aRecordingShowsEachFate() async throws {
    try await withTestTime { time in
      let (channel, recording) = (Channel<Int>(), Recording())
      recording.add(channel, as: "numbers")
      let received = channel.outlet.subscribe()
      for overlap in [Overlap.latestOnly, .firstOnly] {
        let gate = Gate()
        let run = Task {
          await received.answer(OverlapRule(overlap)) { _ in
            await gate.pass()
          } publish: { _, _ in
          }
        }
        for number in 1...2 {
          channel.send(number)
          await time.idle()
        }
        run.cancel()
        await time.idle()
        gate.open()
        await run.value
      }
      let fates: [Flow.Kind] = [.superseded, .ignored, .abandoned]
      let kinds = recording.flow.events.map(\.kind).filter(fates.contains)
      XCTAssertEqual(kinds, [.superseded, .abandoned, .ignored, .abandoned])
      XCTAssertTrue("\(recording)".contains("#2 abandoned"), "\(recording)")
    }
  }

  /// What the old run has to take back comes before all that the new one shows.
  func test_C98g_anOldRunBesideTheNewOneOverwritesNothing() async throws {
    try await withTestTime(orders: .random(Length.rounds(1_000), seed: 41)) { time in
      let viewModel = LinkViewModel()
      let old = Task { await viewModel.run() }
      viewModel.connect.send("a")
      await giveWay(Int.random(in: 0...12))
      old.cancel()
      viewModel.connect.send("b")
      let new = Task { await viewModel.run() }
      await time.idle()
      guard viewModel.link == .online("b") else { throw Unexpected("\(viewModel.link)") }
      new.cancel()
      await new.value
      await old.value
      guard viewModel.link == .offline else {
        throw Unexpected("\(viewModel.link) when it was left")
      }
    }
  }

  private func call(
    _ overlap: Overlap, of received: Subscription<Int>,
    by work: @escaping @Sendable (Int) async -> Void
  ) -> Task<Void, Never> {
    Task { [events] in
      await received.answer(OverlapRule(overlap), by: work) {
        events.add("abandoned \($0)")
      } publish: { number, _ in
        events.add("answered \(number)")
      }
      events.add("returned")
    }
  }
}

@MainActor
private final class LinkViewModel: ViewModel {
  enum Link: Equatable, Sendable {
    case offline, connecting(String), online(String)
  }

  @Input var connect: Inlet<String>
  @CurrentValue private(set) var link = Link.offline

  func run() async {
    await _connect.received.answerWithProgress(.latestOnly) { server, progress in
      progress.send(.connecting(server))
      await giveWay(3)
      progress.send(.online(server))
      for await _ in Outlet<Void>.never {}
    } progress: { _, link in
      self.link = link
    } abandoned: { _ in
      self.link = .offline
    } publish: { _, _ in
      self.link = .offline
    }
  }
}

private struct Unexpected: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
