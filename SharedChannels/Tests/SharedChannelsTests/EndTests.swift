import AsyncChannels
import AsyncChannelsTesting
import Foundation
import ServiceLifecycle
import ServiceLifecycleTestKit
import SharedChannels
import XCTest

/// How a channel ends, and goes on.
final class EndTests: XCTestCase {
  private let log = ScriptedLog()

  func test_finishingCarriesOutWhatWaitsAndRefusesTheRest() async throws {
    let channel = SharedChannel(Guests(), log: log, batchSize: 10)
    let asked = (0..<100).map { number in Task { await channel.add("g\(number)") } }
    while channel.waitingCommands < 100 { await Task.yield() }
    channel.finish()
    try await within { await channel.run() }
    for task in asked {
      let outcome = await task.value
      XCTAssertNotNil(outcome?.reply)
    }
    XCTAssertEqual(channel.state.value.value.names.count, 100)
    let late = await channel.add("late")
    XCTAssertNil(late)
  }

  func test_gracefulShutdownFinishes() async throws {
    let channel = SharedChannel(Guests(), log: log)
    try await within {
      await testGracefulShutdown { trigger in
        async let running: Void = channel.run()
        let outcome = await channel.add("Ann")
        XCTAssertNotNil(outcome?.reply)
        trigger.triggerGracefulShutdown()
        await running
      }
    }
    let late = await channel.add("late")
    XCTAssertNil(late)
  }

  func test_cancellingLeavesWhoWaitsForTheLogWithoutAnAnswerAndTheNextRunGoesOn() async throws {
    let channel = SharedChannel(Guests(), log: log)
    log.isHeld = true
    let run = Task { await channel.run() }
    let ann = Task { await channel.add("Ann") }
    while log.entered == 0 { await Task.yield() }
    run.cancel()
    let outcome = await ann.value
    XCTAssertNil(outcome)
    try await within { await run.value }
    log.isHeld = false
    try await running(channel) {
      let bob = await channel.add("Bob")
      XCTAssertEqual(bob?.reply, .done(count: 1))
    }
  }

  func test_theChannelCanBeReleased() async throws {
    weak var channel: SharedChannel<Guests>?
    do {
      let kept = SharedChannel(Guests(), log: log)
      channel = kept
      try await running(kept) { _ = await kept.add("Ann") }
    }
    XCTAssertNil(channel)
  }
}
