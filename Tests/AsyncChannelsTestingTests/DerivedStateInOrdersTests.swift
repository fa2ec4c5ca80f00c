import AsyncChannels
import AsyncChannelsTesting
import TestSupport
import XCTest

/// Derived state in test time, under many orders of tasks.
@MainActor
final class DerivedStateInOrdersTests: XCTestCase {
  /// Three tasks write, one of them two states in one step, while others follow what chooses, combines and computes.
  func test_C140b_eachFollowerSeesMomentsAndTheLast() async throws {
    try await withTestTime(orders: .random(Length.rounds(1_000), seed: 40)) { time in
      let (one, two, choice) = (CurrentValue(0), CurrentValue(0), CurrentValue(0))
      let difference = StateOutlet.combine(one.outlet, two.outlet).map { $0 - $1 }
      let chosen = choice.outlet.flatMap { $0 % 2 == 0 ? one.outlet : two.outlet }
      let all = StateOutlet(tracking: { [one.value, two.value, choice.value, chosen.value] })
      let (differences, tuples) = (Record<Int>(), Record<[Int]>())
      let probe = Probe(all)
      let tasks = [
        Task { for await value in difference { differences.add(value) } },
        Task { for await value in all { tuples.add(value) } },
        Task {
          for number in 1...10 {
            updateTogether(one, two) { ($0, $1) = (number, number) }
            await Task.yield()
          }
        },
        Task {
          for number in 1...5 {
            choice.value = number
            await Task.yield()
          }
        },
      ]
      await time.idle()
      XCTAssertEqual(Set(differences.events), [0])
      XCTAssertEqual(tuples.events.last, [10, 10, 5, 10])
      XCTAssertEqual(probe.values.last, [10, 10, 5, 10])
      for value in tuples.events + probe.values {
        XCTAssert(value[0] == value[1] && value[3] == value[0], "\(value)")
      }
      for task in tasks { task.cancel() }
      await time.idle()
    }
  }

  /// A probe takes the newest of derived state after each job, so no order hides what a job has made of it.
  func test_C52j_aProbeOfDerivedStateTakesTheNewestAfterEachJob() async throws {
    try await withTestTime { time in
      let count = CurrentValue(0)
      let (root, derived) = (Probe(count.outlet), Probe(count.outlet.map { $0 }))
      Task {
        for number in 1...3 {
          (count.value, count.value) = (-number, number)
          await Task.yield()
        }
      }
      await time.idle()
      XCTAssertEqual(root.values, [0, -1, 1, -2, 2, -3, 3])
      XCTAssertEqual(derived.values, [0, 1, 2, 3])
    }
  }
}
