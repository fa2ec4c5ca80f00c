#if canImport(XCTest) && !canImport(Darwin)
  import Synchronization
  import XCTest

  /// How many assertions of XCTest have failed, which throw nothing. Those of Swift Testing nobody can count: let a
  /// test that tries many orders throw.
  enum FailureCount {
    private static let count = Counter()
    @MainActor private static let isObserved: Void = XCTestObservationCenter.shared.addTestObserver(
      count)

    @MainActor
    static var now: Int {
      isObserved
      return count.value.load(ordering: .relaxed)
    }

    private final class Counter: XCTestObservation, Sendable {
      let value = Atomic(0)

      func testCase(
        _ testCase: XCTestCase, didFailWithDescription description: String,
        inFile filePath: String?,
        atLine lineNumber: Int
      ) {
        value.add(1, ordering: .relaxed)
      }
    }
  }
#else
  /// Of assertions that throw nothing, nothing is known here: let a test that tries many orders throw.
  enum FailureCount {
    static var now: Int { 0 }
  }
#endif
