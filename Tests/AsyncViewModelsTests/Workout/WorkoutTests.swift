import AsyncChannels
import AsyncChannelsTesting
import AsyncViewModels
import TestSupport
import XCTest

/// Row: notifier that only its owner can upstream.
@MainActor
final class WorkoutTests: XCTestCase {
  func test_theNotifierTellsTheCountAsItIsAndAfterEachExercise() async throws {
    let notifier = ExerciseExecutionCountNotifier()
    let early = Probe(notifier.count)
    await notifier.exerciseExecuted()
    await notifier.exerciseExecuted()
    let late = Probe(notifier.count)
    await notifier.exerciseExecuted()
    XCTAssertEqual(early.values, [0, 1, 2, 3])
    XCTAssertEqual(late.values, [2, 3])
  }

  func test_exercisesDoneAtOnceAreAllCountedAndToldInOrder() async throws {
    let notifier = ExerciseExecutionCountNotifier()
    let counts = Probe(notifier.count)
    await withTaskGroup { group in
      for _ in 0..<8 {
        group.addTask { for _ in 0..<250 { await notifier.exerciseExecuted() } }
      }
    }
    XCTAssertEqual(counts.values, Array(0...2_000))
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
    XCTAssertEqual(counts.values, [1, 2])
    XCTAssertEqual(summaries.values, ["Exercises done: 1", "Exercises done: 2"])
  }

  /// Its protocol is all that a profile needs, and has nothing to send with.
  func test_aProfileListensToAnyNotifier() async throws {
    let spy = SpyNotifier()
    let profile = WorkoutProfileViewModel(notifier: spy)
    spy.counts.value = 41
    XCTAssertEqual(profile.executionCount.value, 41)
  }

  func test_nothingOutsideTheNotifierCanSendACount() async throws {
    guard let compiler = TypeChecker() else { throw XCTSkip("There is no swiftc in the path.") }
    let attacks = [
      ("notifier.count.send(99)", "has no member 'send'"),
      ("notifier.count.finish()", "has no member 'finish'"),
      ("notifier.executions.value = 99", "inaccessible due to 'private'"),
      ("_ = notifier.count as Inlet<Int>", "cannot convert"),
    ]
    let types = [
      "ExerciseExecutionCountNotifier", "isolated ExerciseExecutionCountNotifier",
      "any ExerciseExecutionCountNotifying",
    ]
    // A function a line, and the sentence that refuses it.
    let refused = types.flatMap { type in
      attacks.filter { !(type.hasPrefix("any") && $0.0.contains("executions")) }.map {
        ("private func attack(_ notifier: \(type)) { \($0.0) }", $0.1)
      }
    }
    let imports = "import AsyncChannels; import AsyncViewModels"
    // Each in a file of its own, where its name is its own too.
    var files = Dictionary(
      uniqueKeysWithValues: refused.enumerated().map {
        ("Attack\($0).swift", "\(imports)\n\($1.0)")
      })
    files["Listening.swift"] = """
      \(imports)
      func listen(_ notifier: ExerciseExecutionCountNotifier) async {
        await notifier.exerciseExecuted()
        for await _ in notifier.count {}
      }
      """
    let errors = try await compiler.errors(in: files)
    for (index, (attack, sentence)) in refused.enumerated() {
      let found = errors["Attack\(index).swift"] ?? []
      XCTAssertEqual(found.count, 1, "\(attack): \(found)")
      XCTAssert(found.allSatisfy { $0.text.contains(sentence) }, "\(attack): \(found)")
    }
    XCTAssertEqual(errors.count, refused.count, "\(errors)")
  }
}

private struct SpyNotifier: ExerciseExecutionCountNotifying {
  let counts = CurrentValue(0)
  var count: StateOutlet<Int> { counts.outlet }
}
