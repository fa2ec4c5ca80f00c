import AsyncChannelsRecording
import XCTest

@testable import AsyncChannels

/// C39, for values: the old one is the value's own, and its `deinit` comes after the store. With the
/// writers' lock held it would trap: hence processes of their own.
final class ValueDeinitTests: XCTestCase {
  func test_C39_anOldValuesDeinitMayReadAndWriteTheSameValue() async throws {
    for (name, act) in Self.acts {
      try await assertSurvives(name) {
        try Self.replace(in: .living, act)
        try Self.update(in: .living, act)
        try Self.update(in: .living, isRecorded: true, act)
      }
    }
  }

  func test_C39_theDeinitOfAValueThatWasNotStoredMayReadAndWriteTheSameValue() async throws {
    for (name, act) in Self.acts {
      try await assertSurvives(name) {
        try Self.replace(in: .finished, act)
        try Self.update(in: .finished, act)
        try Self.update(in: .throwing, act)
        try Self.update(in: .throwing, isRecorded: true, act)
      }
    }
  }

  func test_C39_theDeinitOfWhatDerivedStatePassesOverMayTakeFromIt() async throws {
    for policy in [BufferingPolicy.unbounded, .bufferingNewest(3)] {
      try await assertSurvives("\(policy)") {
        let (census, other) = (Census(), CurrentValue(0))
        let value = CurrentValue(Tracked(0, in: census))
        let subscription = StateOutlet.combine(value.outlet, other.outlet)
          .subscribe(buffering: policy)
        for number in 1...4 {
          value.value = Tracked(number, in: census) { _ = subscription.takeNow() }
        }
        while let (newest, _) = subscription.takeNow().element {
          precondition((0...4).contains(newest.number))
        }
      }
    }
  }

  private typealias Act = @Sendable (CurrentValue<Tracked>, Census) -> Void

  private static let acts: [(String, Act)] = [
    ("reading", { value, _ in _ = value.value }),
    ("writing", { value, census in value.value = Tracked(3, in: census) }),
    ("updating", { value, census in value.update { $0 = Tracked(3, in: census) } }),
    ("sending", { value, census in value.inlet.send(Tracked(3, in: census)) }),
    ("finishing", { value, _ in value.finish() }),
  ]

  private enum Circumstance {
    case living, finished, throwing
  }

  private static func replace(in circumstance: Circumstance, _ act: @escaping Act) throws {
    let (value, census, acting) = make(in: circumstance, act)
    value.value = acting()
    value.value = Tracked(2, in: census)
    precondition([0, 2, 3].contains(value.value.number))
  }

  private static func update(
    in circumstance: Circumstance, isRecorded: Bool = false, _ act: @escaping Act
  ) throws {
    struct Refused: Error {}
    let (value, census, acting) = make(in: circumstance, act)
    let recording = Recording()
    if isRecorded { recording.add(value, as: "value") }
    defer { withExtendedLifetime(recording) {} }
    try? value.update { value in
      value = acting()
      if circumstance == .throwing { throw Refused() }
    }
    value.update { $0 = Tracked(2, in: census) }
    precondition([0, 2, 3].contains(value.value.number))
  }

  private static func make(
    in circumstance: Circumstance, _ act: @escaping Act
  ) -> (CurrentValue<Tracked>, Census, () -> Tracked) {
    let census = Census()
    let value = CurrentValue(Tracked(0, in: census))
    if circumstance == .finished { value.finish() }
    return (value, census, { Tracked(1, in: census) { act(value, census) } })
  }
}
