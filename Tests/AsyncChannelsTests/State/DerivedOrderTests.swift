import Foundation
import TestSupport
import XCTest

@testable import AsyncChannels

/// C55: what a follower of derived state gets is a state that was, in the order of the writes.
final class DerivedOrderTests: XCTestCase {
  private static let policies: [BufferingPolicy] = [
    .unbounded, .bufferingNewest(1), .bufferingNewest(3), .bufferingOldest(1), .bufferingOldest(3),
  ]

  func test_C55_theOrderIsThatOfTheWritesNotOfTheArguments() async throws {
    for policy in Self.policies {
      let (user, isLoggedIn) = (CurrentValue<String?>("Ann"), CurrentValue(true))
      let screen = StateOutlet.combine(user.outlet, isLoggedIn.outlet).subscribe(buffering: policy)
      var got: [String] = []
      func takeAll() {
        while let (user, isLoggedIn) = screen.takeNow().element {
          got.append("\(user ?? "nobody"), \(isLoggedIn)")
        }
      }
      takeAll()
      isLoggedIn.value = false
      user.value = nil
      takeAll()
      XCTAssertEqual(got, ["Ann, true", "nobody, false"], "\(policy)")
    }
  }

  /// One thread writes and takes at random: each element is a state that was, later than the one before, and
  /// when nothing is left it is the newest.
  func test_C55_randomWritesOfOneThread() {
    for policy in Self.policies {
      for seed in 0..<(Length.isFull ? 150 : 5) {
        var random = SplitMix64(seed: UInt64(seed))
        let states = (0..<4).map { _ in CurrentValue(0) }
        let all = StateOutlet.combine(
          states[0].outlet, states[1].outlet, states[2].outlet.map { $0 }, states[3].outlet
        ).map { [$0, $1, $2, $3] }
        let subscription = all.subscribe(buffering: policy)
        var history = [all.value]
        var last = -1
        for step in 1...200 {
          if random.oneIn(3) {
            guard let element = subscription.takeNow().element else { continue }
            let place = history.lastIndex(of: element) ?? -1
            XCTAssertGreaterThan(place, last, "\(policy), seed \(seed): \(element)")
            last = place
            if place == -1 { return }
          } else {
            states[random.number(0...3)].value = step
            history.append(all.value)
          }
        }
        while let element = subscription.takeNow().element {
          last = history.lastIndex(of: element) ?? -1
        }
        XCTAssertEqual(last, history.count - 1, "\(policy), seed \(seed)")
      }
    }
  }

  /// As many writes in all as the environment's `ASYNCCHANNELS_WRITES` says, else 40,000, by one thread for each
  /// pair of states: it writes the second after the first. So in no state that was is the second newer, and
  /// the first is newer by one at most.
  func test_C55_randomWritesOfSeveralThreads() async throws {
    let count = environmentNumber("ASYNCCHANNELS_WRITES") ?? 40_000
    for policy in Self.policies {
      let states = (0..<8).map { _ in CurrentValue(0) }
      let all = StateOutlet.combine(
        states[7].outlet, states[6].outlet, states[5].outlet, states[4].outlet, states[3].outlet,
        states[2].outlet, states[1].outlet, states[0].outlet
      ).map { [$7, $6, $5, $4, $3, $2, $1, $0] }
      let subscription = all.subscribe(buffering: policy)
      let follower = Task.detached { () -> (wrong: [[Int]], last: [Int]) in
        var wrong: [[Int]] = []
        var last = Array(repeating: 0, count: 8)
        for await state in subscription {
          for pair in stride(from: 0, to: 8, by: 2) {
            let ahead = state[pair] - state[pair + 1]
            if ahead != 0 && ahead != 1 || state[pair] < last[pair] { wrong.append(state) }
          }
          last = state
        }
        return (wrong, last)
      }
      let writes = count / Self.policies.count / 8
      try await onThreads(4) { thread in
        var random = SplitMix64(seed: UInt64(thread))
        for number in 1...writes {
          states[thread * 2].value = number
          if random.oneIn(50) { sleepBriefly() }
          states[thread * 2 + 1].value = number
        }
      }
      for state in states { state.finish() }
      let (wrong, last) = try await within { await follower.value }
      XCTAssertEqual(wrong.count, 0, "\(policy): \(wrong.prefix(5))")
      XCTAssertEqual(last, Array(repeating: writes, count: 8), "\(policy)")
    }
  }

  /// What was taken out of the queues by a consumer that is cancelled then is there for the next.
  func test_C55_aCancelledFollowerOfTheNewestLosesNothing() async throws {
    for seed in 0..<300 {
      let (one, two) = (CurrentValue(0), CurrentValue(0))
      let both = StateOutlet.combine(one.outlet, two.outlet)
      let subscription = both.subscribe(buffering: .bufferingNewest(1))
      let first = Task.detached { for await _ in subscription {} }
      try await onThreads(1) { _ in
        for number in 1...(20 + seed % 7) {
          one.value = number
          two.value = number
          if number == seed % 20 { first.cancel() }
        }
      }
      first.cancel()
      one.value = 1_000
      await first.value
      var last: (Int, Int)?
      while let next = subscription.takeNow().element { last = next }
      XCTAssertEqual(last?.0, 1_000)
      XCTAssertEqual(last?.1, 20 + seed % 7)
    }
  }
}

private func sleepBriefly() {
  var time = timespec(tv_sec: 0, tv_nsec: 1_000)
  nanosleep(&time, nil)
}

private func environmentNumber(_ name: String) -> Int? {
  ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
}
