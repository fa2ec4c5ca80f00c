import AsyncChannels
import Dispatch
import Observation
import TestSupport
import XCTest

/// C51: Observation is told after the store, about the property that changed: immediately, on the main thread.
@MainActor
final class ObservationTests: XCTestCase {
  func test_C51a_onlyWhoReadThePropertyThatChangedIsTold() async throws {
    let model = Model()
    let told = Record<String>()
    withObservationTracking {
      _ = model.name
    } onChange: {
      told.add("name")
    }
    withObservationTracking {
      _ = model.age
    } onChange: {
      told.add("age")
    }
    withObservationTracking {
      _ = (model.name, model.age)
    } onChange: {
      told.add("both")
    }
    model.nick = "z"
    XCTAssertEqual(told.events, [])
    model.age = 1
    XCTAssertEqual(told.events.sorted(), ["age", "both"])
    model.age = 2
    XCTAssertEqual(told.events.count, 2)
    model.name = "b"
    XCTAssertEqual(told.events.sorted(), ["age", "both", "name"])
  }

  func test_C51b_theObserverIsToldOfEachChangeAndFindsTheNewValue() async throws {
    let number = CurrentValue(0)
    let found = Record<Int>()
    observeForEver(number, found)
    number.value = 1
    XCTAssertEqual(found.events, [1])
    number.wrappedValue = 2
    XCTAssertEqual(found.events, [1, 2])
    number.update { $0 += 1 }
    XCTAssertEqual(found.events, [1, 2, 3])
    number.inlet.send(4)
    XCTAssertEqual(found.events, [1, 2, 3, 4])
    // An equal value is a change like any other: nobody asked to conflate.
    number.value = 4
    XCTAssertEqual(found.events, [1, 2, 3, 4, 4])
  }

  func test_C51b_anObserverThatCameAfterAnotherThreadsWriteIsToldOfThisThreads() async throws {
    let number = CurrentValue(0)
    let told = Record<String>()
    func track() {
      withObservationTracking {
        _ = number.value
      } onChange: {
        told.add("told")
      }
    }
    // The job on the main actor tells, too.
    func oneTurn() async { await Task.detached { @MainActor in }.value }
    for _ in 1...3 {
      track()
      await Task.detached { number.value += 1 }.value
      await oneTurn()
      track()
      number.value += 1
      XCTAssertEqual(told.take().count, 2)
      track()
      await oneTurn()
      XCTAssertEqual(told.take().count, 0, "told of the write before")
      number.value += 1
      XCTAssertEqual(told.take().count, 1)
    }
  }

  /// It is being told, so it is told of its own write later.
  func test_C51f_anObserverThatWritesIsToldOnce() async throws {
    let number = CurrentValue(0)
    let told = Record<Int>()
    withObservationTracking {
      _ = number.value
    } onChange: {
      told.add(number.value)
      number.value += 1
    }
    let other = Record<Int>()
    withObservationTracking {
      _ = number.value
    } onChange: {
      MainActor.assumeIsolated { observeForEver(number, other) }
    }
    number.value = 1
    XCTAssertEqual(told.events, [1])
    XCTAssertEqual(other.events, [])
    await Task.detached { @MainActor in }.value
    XCTAssertEqual(told.events, [1])
    XCTAssertEqual(other.events, [2])
  }

  func test_C51b_whatChangesNothingTellsNobody() async throws {
    struct Refused: Error {}
    let number = CurrentValue(0)
    let found = Record<Int>()
    observeForEver(number, found)
    try? number.update { number in
      number = 7
      throw Refused()
    }
    _ = number.outlet.subscribe()
    number.finish()
    number.value = 1
    number.update { $0 = 2 }
    number.inlet.send(3)
    XCTAssertEqual(found.events, [])
  }

  func test_C51a_readingTheOutletOrPublishingToItTracksNothing() async throws {
    let number = CurrentValue(0)
    let told = Record<Int>()
    withObservationTracking {
      _ = number.outlet
      _ = number.projectedValue.subscribe()
      number.value = 1
      number.update { $0 = 2 }
    } onChange: {
      told.add(0)
    }
    number.value = 3
    XCTAssertEqual(told.events, [])
  }

  func test_C51e_nobodyIsToldOfAWriteByItsOwnClosure() async throws {
    let number = CurrentValue(0)
    let told = Record<Int>()
    withObservationTracking {
      _ = number.value
      number.value = 1
    } onChange: {
      told.add(number.value)
    }
    await Task { @MainActor in }.value
    XCTAssertEqual(told.events, [])
    number.value = 2
    XCTAssertEqual(told.events, [2])
  }

  func test_C51b_subscribersAndObserversAreToldOfTheSameChanges() async throws {
    let number = CurrentValue(0)
    let published = number.outlet.subscribe()
    let found = Record<Int>()
    observeForEver(number, found)
    for written in 1...100 { number.value = written }
    number.finish()
    assertEqual(try await published.collect(), [0] + found.events)
  }

  func test_C51b_observationsYieldsTheNewestValueAfterTheStore() async throws {
    let number = CurrentValue(0)
    var values = Observations { number.value }.makeAsyncIterator()
    assertEqual(await values.next(), 0)
    for written in 1...200 {
      // By turns from here and from elsewhere, where the observer may be reading.
      if written.isMultiple(of: 2) {
        number.value = written
      } else {
        DispatchQueue.global().async { number.value = written }
      }
      // Until then it waits: a stale value would never be followed by this one.
      assertEqual(await values.next(), written)
    }
  }

  func test_C51a_observationsFollowsPropertyByProperty() async throws {
    let model = Model()
    let names = Record<String>()
    let isWatched = Gate()
    let watching = Task {
      for await name in Observations({ model.name }) {
        names.add(name)
        isWatched.open()
        if name == "end" { break }
      }
    }
    try await within { await isWatched.pass() }
    model.age = 7
    model.nick = "x"
    model.name = "end"
    try await within { await watching.value }
    XCTAssertEqual(names.events, ["a", "end"])
  }
}

@MainActor
private final class Model {
  @CurrentValue var name = "a"
  @CurrentValue var nick = "a"
  @CurrentValue var age = 0
}

/// Tracks again whenever it is told, at once: so whoever tells twice is found out.
@MainActor
func observeForEver(_ number: CurrentValue<Int>, _ found: Record<Int>) {
  withObservationTracking {
    _ = number.value
  } onChange: {
    MainActor.assumeIsolated {
      observeForEver(number, found)
      found.add(number.value)
    }
  }
}
