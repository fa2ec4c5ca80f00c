import AsyncChannels
import AsyncViewModels
import TestSupport
import XCTest

/// Row: notifier that only its owner can feed.
@MainActor
final class WorkoutTests: XCTestCase {
  func test_theNotifierTellsTheCountAsItIsAndAfterEachExercise() async throws {
    let notifier = ExerciseExecutionCountNotifier()
    let early = Probe(notifier.count)
    await notifier.exerciseExecuted()
    await notifier.exerciseExecuted()
    let late = Probe(notifier.count)
    await notifier.exerciseExecuted()
    let seenEarly = try await early.next(4)
    XCTAssertEqual(seenEarly, [0, 1, 2, 3])
    let seenLate = try await late.next(2)
    XCTAssertEqual(seenLate, [2, 3])
    try early.finish()
    try late.finish()
  }

  func test_exercisesDoneAtOnceAreAllCountedAndToldInOrder() async throws {
    let notifier = ExerciseExecutionCountNotifier()
    let counts = Probe(notifier.count)
    await withTaskGroup { group in
      for _ in 0..<8 {
        group.addTask { for _ in 0..<250 { await notifier.exerciseExecuted() } }
      }
    }
    let seen = try await counts.next(2_001)
    XCTAssertEqual(seen, Array(0...2_000))
    try counts.finish()
  }

  func test_theProfileShowsTheCountThereIs() async throws {
    let notifier = ExerciseExecutionCountNotifier()
    await notifier.exerciseExecuted()
    let profile = WorkoutProfileViewModel(notifier: notifier)
    XCTAssertEqual(profile.executionCount.value, 1)
    let counts = Probe(profile.executionCount)
    let summaries = Probe(profile.summary)
    await notifier.exerciseExecuted()
    XCTAssertEqual(profile.executionCount.value, 2)
    XCTAssertEqual(profile.summary.value, "Exercises done: 2")
    try await counts.expect(1)
    try await counts.expect(2)
    try await summaries.expect("Exercises done: 1")
    try await summaries.expect("Exercises done: 2")
    try counts.finish()
    try summaries.finish()
  }

  /// Its protocol is all that a profile needs, and has nothing to send with.
  func test_aProfileListensToAnyNotifier() async throws {
    let spy = SpyNotifier()
    let profile = WorkoutProfileViewModel(notifier: spy)
    spy.counts.value = 41
    XCTAssertEqual(profile.executionCount.value, 41)
  }

  func test_nothingOutsideTheNotifierCanSendACount() throws {
    let compiler = try XCTUnwrap(try SnippetCompiler(), "there is no build folder beside the tests")
    let listening = """
      func attack(_ notifier: ExerciseExecutionCountNotifier) async {
        await notifier.exerciseExecuted()
        for await _ in notifier.count {}
      }
      """
    let (control, complaint) = try compiler.errors(in: listening)
    XCTAssertEqual(control, [], complaint)
    for (attack, words) in [
      ("notifier.count.send(99)", "has no member 'send'"),
      ("notifier.count.finish()", "has no member 'finish'"),
      ("notifier.executions.value = 99", "inaccessible due to 'private'"),
      ("_ = notifier.count as Inlet<Int>", "cannot convert"),
    ] {
      for type in [
        "ExerciseExecutionCountNotifier", "isolated ExerciseExecutionCountNotifier",
        "any ExerciseExecutionCountNotifying",
      ] where !(type.hasPrefix("any") && attack.contains("executions")) {
        let (errors, output) = try compiler.errors(
          in: "func attack(_ notifier: \(type)) { \(attack) }")
        XCTAssertEqual(errors.count, 1, "\(attack) on \(type): \(output)")
        XCTAssertTrue(errors.allSatisfy { $0.contains(words) }, "\(attack) on \(type): \(output)")
      }
    }
  }
}

private struct SpyNotifier: ExerciseExecutionCountNotifying {
  let counts = CurrentValue(0)
  var count: StateOutlet<Int> { counts.outlet }
}
