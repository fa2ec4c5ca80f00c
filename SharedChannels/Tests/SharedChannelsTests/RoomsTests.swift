import AsyncChannels
import AsyncChannelsTesting
import ServiceLifecycleTestKit
import SharedChannels
import Synchronization
import XCTest

/// Rooms that are opened when somebody uses them.
final class RoomsTests: XCTestCase {
  private let house = House()

  func test_aRoomIsOpenedOnceAndHasItsOwnOrder() async throws {
    let (house, rooms) = (house, house.rooms())
    try await running(rooms) {
      let first = try await rooms.withRoom("a") { await $0.add("Ann") }
      let second = try await rooms.withRoom("a") { await $0.add("Bob") }
      let other = try await rooms.withRoom("b") { await $0.add("Ann") }
      XCTAssertEqual(
        [first, second, other].map { $0?.reply },
        [.done(count: 1), .done(count: 2), .done(count: 1)])
      XCTAssertEqual(house.made, ["a", "b"])
      let open = await rooms.openRooms.keys.sorted()
      XCTAssertEqual(open, ["a", "b"])
    }
  }

  func test_twoMachinesHaveTheSameRooms() async throws {
    let (one, other) = (house.rooms(), house.rooms())
    try await running(one, other) {
      _ = try await one.withRoom("a") { await $0.add("Ann") }
      let state = try await other.withRoom("a") { try await $0.upToDateState() }
      XCTAssertEqual(state?.value.names, ["Ann"])
    }
  }

  func test_aRoomIsClosedSomeTimeAfterItsLastUseAndOpenedAnewWithItsState() async throws {
    let (house, clock) = (house, TestClock())
    let rooms = house.rooms(idle: .seconds(30), clock: clock)
    try await running(rooms) {
      _ = try await rooms.withRoom("used") { used in
        _ = try await rooms.withRoom("a") { await $0.add("Ann") }
        while clock.sleeperCount == 0 { await Task.yield() }
        // Found without a user, and used again: it stays open for as long again.
        clock.advance(by: .seconds(30))
        _ = try await rooms.withRoom("a") { _ in }
        for _ in 0..<2 {
          let open = await rooms.openRooms.keys.sorted()
          XCTAssertEqual(open, ["a", "used"])
          while clock.sleeperCount == 0 { await Task.yield() }
          clock.advance(by: .seconds(30))
        }
        while await rooms.openRooms.count > 1 { await Task.yield() }
        _ = await used.add("Bob")
        let state = try await rooms.withRoom("a") { try await $0.upToDateState() }
        XCTAssertEqual(state?.value.names, ["Ann"])
      }
      XCTAssertEqual(house.made, ["used", "a", "a"])
    }
  }

  func test_withMoreRoomsThanMayBeOpenOneThatNobodyUsesIsClosed() async throws {
    let rooms = house.rooms(limit: 2)
    try await running(rooms) {
      for number in 0..<100 {
        let outcome = try await rooms.withRoom("room \(number)") { await $0.add("Ann") }
        XCTAssertEqual(outcome?.reply, .done(count: 1))
        let count = await rooms.openRooms.count
        XCTAssertLessThanOrEqual(count, 2)
      }
    }
  }

  func test_ifAllAreInUseAFurtherOneIsRefused() async throws {
    let rooms = house.rooms(limit: 2)
    try await running(rooms) {
      try await rooms.withRoom("a") { _ in
        try await rooms.withRoom("b") { _ in
          do {
            try await rooms.withRoom("c") { _ in XCTFail("it was opened") }
            XCTFail("it was not refused")
          } catch LogFailure.refused(let reason) {
            XCTAssertEqual(reason, "all of the 2 rooms that may be open are in use")
          }
          _ = try await rooms.withRoom("a") { await $0.add("Ann") }
        }
      }
      _ = try await rooms.withRoom("c") { await $0.add("Ann") }
    }
  }

  func test_workThatThrowsLeavesItsRoom() async throws {
    let rooms = house.rooms(limit: 1)
    try await running(rooms) {
      do {
        try await rooms.withRoom("a") { _ in throw Oops() }
        XCTFail("it did not throw")
      } catch is Oops {}
      _ = try await rooms.withRoom("b") { await $0.add("Ann") }
    }
  }

  func test_aRoomThatCannotBeMadeIsNotOpen() async throws {
    let rooms = SharedRooms<Guests> { _ in throw Oops() }
    try await running(rooms) {
      for _ in 0..<2 {
        do {
          try await rooms.withRoom("a") { _ in XCTFail("it was opened") }
        } catch is Oops {}
      }
      let count = await rooms.openRooms.count
      XCTAssertEqual(count, 0)
    }
  }

  func test_finishingCarriesOutWhatWaitsAndOpensNoMore() async throws {
    let rooms = house.rooms()
    try await within {
      let asked = (0..<20).map { number in
        Task { try await rooms.withRoom("room \(number)") { await $0.add("Ann") } }
      }
      while await rooms.openRooms.values.count(where: { $0.waitingCommands > 0 }) < 20 {
        await Task.yield()
      }
      rooms.finish()
      await rooms.run()
      for task in asked {
        let outcome = try await task.value
        XCTAssertEqual(outcome?.reply, .done(count: 1))
      }
      do {
        try await rooms.withRoom("late") { _ in XCTFail("it was opened") }
        XCTFail("it was not refused")
      } catch LogFailure.refused {}
      let count = await rooms.openRooms.count
      XCTAssertEqual(count, 0)
    }
  }

  func test_aRoomThatItsUserHasFinishedIsOpenedAnew() async throws {
    let (house, rooms) = (house, house.rooms())
    try await running(rooms) {
      try await rooms.withRoom("a") { room in
        _ = await room.add("Ann")
        room.finish()
        while await rooms.openRooms.count > 0 { await Task.yield() }
        let again = try await rooms.withRoom("a") { await $0.add("Bob") }
        XCTAssertEqual(again?.reply, .done(count: 2))
        let late = await room.add("Cy")
        XCTAssertNil(late)
      }
      let count = await rooms.openRooms.count
      XCTAssertEqual(count, 1)
    }
    XCTAssertEqual(house.made, ["a", "a"])
  }

  func test_whoAsksAfterACancelledRunThatWasTheLastIsTold() async throws {
    let rooms = house.rooms()
    try await within {
      try await rooms.withRoom("a") { room in
        let run = Task { await rooms.run() }
        _ = await room.add("Ann")
        run.cancel()
        rooms.finish()
        await run.value
        let late = Task { await room.add("Bob") }
        _ = await rooms.openRooms
        await rooms.run()
        _ = await late.value
      }
    }
  }

  func test_gracefulShutdownFinishes() async throws {
    let rooms = house.rooms()
    try await within {
      await testGracefulShutdown { trigger in
        async let running: Void = rooms.run()
        let outcome = try? await rooms.withRoom("a") { await $0.add("Ann") }
        XCTAssertNotNil(outcome?.reply)
        trigger.triggerGracefulShutdown()
        await running
      }
    }
    let count = await rooms.openRooms.count
    XCTAssertEqual(count, 0)
  }

  func test_afterACancelledRunAFurtherOneGoesOnWithTheRooms() async throws {
    let (house, rooms) = (house, house.rooms())
    try await rooms.withRoom("a") { room in
      try await running(rooms) { _ = await room.add("Ann") }
      try await running(rooms) {
        let outcome = await room.add("Bob")
        XCTAssertEqual(outcome?.reply, .done(count: 2))
      }
      rooms.finish()
    }
    XCTAssertEqual(house.made, ["a"])
    try await within { await rooms.run() }
    let count = await rooms.openRooms.count
    XCTAssertEqual(count, 0)
  }

  func test_roomsThatAreUsedByManyAtATimeLoseNoCommand() async throws {
    let (one, other) = (house.rooms(limit: 3), house.rooms(limit: 3))
    try await running(one, other) {
      try await withThrowingTaskGroup { group in
        for client in 0..<6 {
          group.addTask {
            let rooms = client % 2 == 0 ? one : other
            for number in 0..<50 {
              let name = "room \((client / 2 + number) % 5)"
              while true {
                do {
                  let outcome = try await rooms.withRoom(name) {
                    await $0.add("\(client) \(number)")
                  }
                  XCTAssertNotNil(outcome?.reply)
                  break
                } catch LogFailure.refused {
                  await Task.yield()
                }
              }
            }
          }
        }
        try await group.waitForAll()
      }
      var count = 0
      for number in 0..<5 {
        count += try await one.withRoom("room \(number)") {
          try await $0.upToDateState()?.value.names.count ?? 0
        }
      }
      XCTAssertEqual(count, 300)
    }
  }

  func test_theRoomsCanBeReleased() async throws {
    weak var rooms: SharedRooms<Guests>?
    do {
      let kept = house.rooms()
      rooms = kept
      try await running(kept) { _ = try await kept.withRoom("a") { await $0.add("Ann") } }
    }
    XCTAssertNil(rooms)
  }
}

private struct Oops: Error {}

/// The logs of rooms, for several machines.
private final class House: Sendable {
  private let storages = Mutex<[String: MemoryLog.Storage]>([:])
  private let names = Mutex<[String]>([])

  /// The rooms that were made, in order.
  var made: [String] { names.withLock { $0 } }

  func rooms(
    limit: Int = 1_000, idle: Duration = .seconds(30),
    clock: any Clock<Duration> = ContinuousClock()
  ) -> SharedRooms<Guests> {
    SharedRooms(limit: limit, idle: idle, clock: clock) { [self] name in
      names.withLock { $0.append(name) }
      let storage = storages.withLock { storages in
        let storage = storages[name] ?? MemoryLog.Storage()
        storages[name] = storage
        return storage
      }
      return SharedChannel(Guests(), log: MemoryLog(storage))
    }
  }
}
