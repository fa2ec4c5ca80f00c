import AsyncChannelsRunning
import AsyncChannelsTesting
import Synchronization
import TestSupport
import XCTest

/// Answers with their elements, and progress.
@MainActor
final class AnswerKnowingTests: XCTestCase {
  private struct Refused: Error, Equatable {}

  func test_C102_anAnswerIsPublishedWithItsElement() async throws {
    for overlap in [Overlap.oneAtATime, .concurrent] {
      var published: [Int: String] = [:]
      await Outlet.just(1, 2, 3).answer(OverlapRule(overlap), by: { "\($0)" }) { number, text in
        published[number] = text
      }
      XCTAssertEqual(published, [1: "1", 2: "2", 3: "3"])
      var results: [Int: Result<Int, Refused>] = [:]
      let check: @Sendable (Int) async throws(Refused) -> Int = { number throws(Refused) in
        if number == 2 { throw Refused() }
        return number
      }
      await Outlet.just(1, 2).answer(OverlapRule(overlap), by: check) { number, result in
        results[number] = result
      }
      XCTAssertEqual(results, [1: .success(1), 2: .failure(Refused())])
    }
  }

  func test_C103_progressIsPublishedInOrderBeforeTheAnswer() async throws {
    for overlap in Overlap.allCases {
      var seen: [String] = []
      await Outlet.just(7).answerWithProgress(OverlapRule(overlap)) {
        (_: Int, progress: Inlet<Int>) in
        for percent in 1...100 { progress.send(percent) }
        return "done"
      } progress: { number, percent in
        MainActor.assertIsolated()
        seen.append("\(number): \(percent)")
      } publish: { number, answer in
        seen.append("\(number): \(answer.get())")
      }
      XCTAssertEqual(seen, (1...100).map { "7: \($0)" } + ["7: done"], "\(overlap)")
    }
  }

  func test_C103_afterTheWorkHasReturnedItsInletIsSilent() async throws {
    let kept = Mutex<Inlet<Int>?>(nil)
    var seen: [Int] = []
    await Outlet.just(1).answerWithProgress { (_: Int, progress: Inlet<Int>) in
      kept.withLock { $0 = progress }
    } progress: { _, percent in
      seen.append(percent)
    } publish: { _, _ in
    }
    XCTAssertEqual(kept.withLock { $0 }?.send(1).isSent, false)
    await giveWay(10)
    XCTAssertEqual(seen, [])
  }

  /// Superseded work, and work of a cancelled call, that goes on.
  func test_C103_noProgressComesLate() async throws {
    for round in 0..<Length.rounds(200) {
      let input = Input<Int>()
      var (newest, seen) = (0, [Int]())
      let begun = Channel<Int>()
      let started = Probe(begun.outlet)
      let isOver = Atomic(false)
      let run = Task {
        await input.received.answerWithProgress(.latestOnly) {
          (number: Int, progress: Inlet<Int>) in
          begun.send(number)
          while !isOver.load(ordering: .relaxed), number != 3 {
            progress.send(number)
            await Task.yield()
          }
        } progress: { number, _ in
          seen.append(number)
        } publish: { number, _ in
          newest = number
        }
      }
      input.inlet.send(1)
      try await started.expect(1)
      await giveWay(round % 5)
      input.inlet.send(2)
      try await started.expect(2)
      // Work on 1 may go on, and is silent.
      let before = seen.count
      await giveWay(5)
      XCTAssertFalse(seen[before...].contains(1), "round \(round)")
      run.cancel()
      let after = seen.count
      await giveWay(5)
      XCTAssertEqual(seen.count, after, "round \(round)")
      isOver.store(true, ordering: .relaxed)
      try await within { await run.value }
      XCTAssertEqual(newest, 0)
    }
  }

  func test_C103_theInletOfWorkThatDoesNotCountAnyMoreRefusesProgress() async throws {
    for isCancelled in [false, true] {
      let input = Input<Int>()
      let (begun, mayGoOn) = ([Gate(), Gate()], Gate())
      let wasSent = Record<Bool>()
      var published: [Int] = []
      let run = Task {
        await input.received.answerWithProgress(.latestOnly) {
          (number: Int, progress: Inlet<Int>) in
          begun[number].open()
          if number == 1 { return }
          await mayGoOn.pass()
          wasSent.add(progress.send(1).isSent)
        } progress: { number, _ in
          published.append(number)
        } publish: { _, _ in
        }
      }
      input.inlet.send(0)
      try await within { await begun[0].pass() }
      if isCancelled {
        run.cancel()
      } else {
        input.inlet.send(1)
        try await within { await begun[1].pass() }
        input.finish()
      }
      mayGoOn.open()
      try await within { await run.value }
      XCTAssertEqual(wasSent.events, [false])
      XCTAssertEqual(published, [])
    }
  }

  func test_C103_workThatFailsReportsToo() async throws {
    var seen: [String] = []
    let work: @Sendable (Int, Inlet<Int>) async throws(Refused) -> Int = {
      (number, progress) throws(Refused) in
      progress.send(50)
      throw Refused()
    }
    await Outlet.just(1).answerWithProgress(by: work) { _, percent in
      seen.append("\(percent)")
    } publish: { _, result in
      seen.append(result == .failure(Refused()) ? "failed" : "?")
    }
    XCTAssertEqual(seen, ["50", "failed"])
  }
}

extension SendResult {
  fileprivate var isSent: Bool { if case .sent = self { true } else { false } }
}
