import TestSupport
import XCTest

@testable import AsyncChannels

/// C39: each provocation in turn runs an element's `deinit`, and each `deinit` in turn does something
/// to the same channel. With a lock held it would hang, or trap: hence processes of their own.
final class DeinitTests: XCTestCase {
  func test_C39_anElementsDeinitMayUseItsChannelWhereverItRuns() async throws {
    for (name, provoke) in Self.provocations {
      try await assertSurvives(name) {
        for act in Self.acts {
          let census = Census()
          let channel = Channel<Tracked>(replaying: 1)
          let acted = Record<Int>()
          let makeElement: @Sendable () -> Tracked = {
            Tracked(0, in: census) {
              act(channel, census)
              acted.add(0)
            }
          }
          try await within(.seconds(10), name) { try await provoke(channel, census, makeElement) }
          precondition(acted.count == 1, "The element's deinit ran \(acted.count) times.")
          // The channel still works, or is finished.
          let subscription = channel.outlet.subscribe(buffering: .bufferingNewest(1))
          channel.send(Tracked(9, in: census))
          channel.finish()
          let rest = try await subscription.collect()
          precondition([[], [9]].contains(rest.map(\.number)), "\(rest.map(\.number))")
          precondition(channel.subscriberCount == 0)
        }
      }
    }
  }

  private static let acts: [@Sendable (Channel<Tracked>, Census) -> Void] = [
    { channel, census in channel.send(Tracked(1, in: census)) },
    { channel, census in
      let subscription = channel.outlet.subscribe()
      channel.inlet.send(Tracked(1, in: census))
      withExtendedLifetime(subscription) {}
    },
    { channel, _ in channel.finish() },
    { channel, _ in _ = channel.subscriberCount },
  ]

  private typealias Provocation =
    @Sendable (Channel<Tracked>, Census, @Sendable () -> Tracked) async throws -> Void

  private static let provocations: [(String, Provocation)] = [
    (
      "displaced from a bounded queue",
      { channel, census, makeElement in
        let subscription = channel.outlet.subscribe(buffering: .bufferingNewest(1))
        channel.send(makeElement(), replayed: false)
        channel.send(Tracked(2, in: census))
        withExtendedLifetime(subscription) {}
      }
    ),
    (
      "refused by a bounded queue",
      { channel, census, makeElement in
        let subscription = channel.outlet.subscribe(buffering: .bufferingOldest(1))
        channel.send(Tracked(2, in: census))
        channel.send(makeElement(), replayed: false)
        withExtendedLifetime(subscription) {}
      }
    ),
    (
      "displaced from the replay window",
      { channel, census, makeElement in
        channel.send(makeElement())
        channel.send(Tracked(2, in: census))
      }
    ),
    (
      "dropped with a backlog in the log",
      { channel, census, makeElement in
        var subscription = Optional(channel.outlet.subscribe())
        channel.send(makeElement())
        channel.send(Tracked(2, in: census))
        withExtendedLifetime(subscription) {}
        subscription = nil
      }
    ),
    (
      "dropped with a backlog in a queue",
      { channel, census, makeElement in
        var subscription = Optional(channel.outlet.subscribe(buffering: .bufferingOldest(3)))
        channel.send(makeElement())
        channel.send(Tracked(2, in: census))
        withExtendedLifetime(subscription) {}
        subscription = nil
      }
    ),
    (
      "dropped with what was replayed to it",
      { channel, census, makeElement in
        channel.send(makeElement())
        var subscription = Optional(channel.outlet.subscribe())
        channel.send(Tracked(2, in: census))
        withExtendedLifetime(subscription) {}
        subscription = nil
      }
    ),
    (
      "released at the end",
      { channel, _, makeElement in
        channel.send(makeElement())
        channel.finish()
      }
    ),
    (
      "taken by its last reader",
      { channel, census, makeElement in
        let subscription = channel.outlet.subscribe()
        channel.send(makeElement(), replayed: false)
        _ = try await subscription.take(1)
      }
    ),
    (
      "sent to nobody",
      { channel, _, makeElement in
        channel.send(makeElement(), replayed: false)
      }
    ),
    (
      "refused after the end",
      { channel, _, makeElement in
        channel.finish()
        channel.send(makeElement())
      }
    ),
    (
      "skipped by a derived outlet",
      { channel, _, makeElement in
        let subscription = channel.outlet.filter { $0.number != 0 }.subscribe()
        channel.send(makeElement(), replayed: false)
        channel.finish()
        _ = try await subscription.collect()
      }
    ),
  ]
}
