import TestSupport
import XCTest

@testable import AsyncChannels

/// The next consumer begins after each k-th job of the one before it, for every k until that one
/// has ended: on an actor whose jobs the test runs one by one, in tasks that prefer an executor whose
/// jobs it runs too. A consumer there goes to and fro between the two several times for each
/// element, and can be met on each of these ways.
final class HandoverAtEachJobTests: XCTestCase {
  func test_C31_whoIsCancelledAfterAnyOfItsJobsLeavesTheRestToTheNext() async throws {
    let jobs = try await atEachJob { scene in scene.first.cancel() }
    // In a release build it takes 4 jobs to fall asleep and 5 for each time it is woken.
    XCTAssertGreaterThan(jobs, 4 + 2 * 5)
  }

  func test_C32a_whoIsDisplacedAfterAnyOfItsJobsLeavesTheRestToTheNext() async throws {
    try await atEachJob { _ in }
  }

  func test_C31_whoIsCancelledWhenTheNextHasAskedLeavesTheRestToTheNextAllTheSame() async throws {
    try await atEachJob(afterwards: { scene in scene.first.cancel() }) { _ in }
  }

  /// - Parameters:
  ///   - afterwards: Done when the next consumer has run two jobs.
  ///   - interrupt: Done after the k-th job, before the next consumer begins.
  /// - Returns: How many jobs the first consumer had, at most.
  @discardableResult
  private func atEachJob(
    afterwards: (Scene) -> Void = { _ in }, interrupt: (Scene) -> Void
  ) async throws -> Int {
    var jobs = 0
    for setting in Length.sample(Setting.all, 0, of: 3) {
      var count = 0
      while true {
        let scene = Scene(setting)
        guard scene.runFirst(jobs: count) else { break }
        interrupt(scene)
        let second = scene.consumer(yielding: setting.yields)
        if setting.sendsImmediately { scene.playAll() }
        for _ in 0..<2 { _ = scene.runOne() }
        afterwards(scene)
        scene.runToTheEnd()
        let byFirst = try await scene.first.result()
        let bySecond = try await second.result()
        XCTAssertEqual(byFirst + bySecond, [0, 1, 2], "after \(count) jobs, \(setting)")
        count += 1
      }
      jobs = max(jobs, count)
    }
    return jobs
  }
}

private struct Setting: CustomStringConvertible {
  let kind: Kind
  /// Whose jobs go first when both have some.
  let stageFirst: Bool
  /// How often the second consumer gives way before it asks.
  let yields: Int
  /// Whether the rest is sent as soon as the second consumer was made, or when nobody has a job.
  let sendsImmediately: Bool

  var description: String {
    "\(kind), \(stageFirst ? "the actor" : "the preference") first, \(yields) yields, "
      + (sendsImmediately ? "sent immediately" : "sent later")
  }

  /// One of each kind of upstream, and of each place where elements can wait.
  enum Kind: CaseIterable {
    case plain, bounded, derived

    func subscribe(to outlet: Outlet<Int>) -> Subscription<Int> {
      switch self {
      case .plain: outlet.subscribe()
      case .bounded: outlet.subscribe(buffering: .bufferingOldest(10))
      case .derived: outlet.map { $0 }.filter { _ in true }.subscribe()
      }
    }
  }

  static var all: [Setting] {
    let both = [true, false]
    return Kind.allCases.flatMap { kind in
      both.flatMap { stageFirst in
        (0...3).flatMap { yields in
          both.map { immediately in
            Setting(
              kind: kind, stageFirst: stageFirst, yields: yields, sendsImmediately: immediately)
          }
        }
      }
    }
  }
}

/// Two consumers on one actor, in turn, and what is sent to them. All jobs run on the test's thread.
private final class Scene {
  private let setting: Setting
  private let stage = Stage()
  private let preference = ManualTaskExecutor()
  private let channel = Channel<Int>()
  private let subscription: Subscription<Int>
  private var script: [(Channel<Int>) -> Void] = [
    { $0.send(0) },
    { channel in for number in 1...2 { channel.send(number) } },
    { $0.finish() },
  ]
  private(set) lazy var first = consumer(yielding: 0)

  init(_ setting: Setting) {
    self.setting = setting
    subscription = setting.kind.subscribe(to: channel.outlet)
  }

  func consumer(yielding yields: Int) -> Task<[Int], Never> {
    Task(executorPreference: preference) { [stage, subscription] in
      await takeAll(from: subscription, yielding: yields, on: stage)
    }
  }

  /// Runs so many jobs of the first consumer, and sends whenever there is none. False if it has ended
  /// before that.
  func runFirst(jobs: Int) -> Bool {
    _ = first
    var count = 0
    while count < jobs {
      if runOne() {
        count += 1
      } else if !playNext() {
        return false
      }
    }
    return true
  }

  func runToTheEnd() {
    while runOne() || playNext() {}
  }

  func runOne() -> Bool {
    setting.stageFirst
      ? stage.runOne() || preference.runOne() : preference.runOne() || stage.runOne()
  }

  func playAll() {
    while playNext() {}
  }

  private func playNext() -> Bool {
    guard !script.isEmpty else { return false }
    script.removeFirst()(channel)
    return true
  }
}

private func takeAll(
  from subscription: Subscription<Int>, yielding yields: Int, on stage: isolated Stage
) async -> [Int] {
  for _ in 0..<yields { await Task.yield() }
  var taken: [Int] = []
  for await number in subscription { taken.append(number) }
  return taken
}
