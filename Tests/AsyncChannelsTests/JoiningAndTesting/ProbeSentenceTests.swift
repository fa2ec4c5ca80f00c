import AsyncChannelsTesting
import Foundation
import TestSupport
import XCTest

@testable import AsyncChannels

/// C52: where a failure says it is, and how it shows what came; C63.
final class ProbeSentenceTests: XCTestCase {
  private let channel = Channel<Int>()
  private let clock = JumpingClock()

  func test_C52f_everyExpectationSaysItsFileAndLine() async throws {
    let probe = Probe(channel.outlet)
    let expectations: [(line: Int, () async throws(ProbeFailure) -> Void)] = [
      (#line, { () throws(ProbeFailure) in try await probe.next(clock: self.clock) }),
      (#line, { () throws(ProbeFailure) in try await probe.next(2, clock: self.clock) }),
      (#line, { () throws(ProbeFailure) in try await probe.expect(1, clock: self.clock) }),
      (#line, { () throws(ProbeFailure) in try await probe.expectFinished(clock: self.clock) }),
      (
        #line + 2,
        { () throws(ProbeFailure) in
          try await probe.next(where: { $0 > 1 }, clock: self.clock)
        }
      ),
      (
        #line + 4,
        { () throws(ProbeFailure) in
          // Something is there, so that these two fail.
          self.channel.send(1)
          try await probe.expectNothing(for: .zero, clock: self.clock)
        }
      ),
      (
        #line + 3,
        { () throws(ProbeFailure) in
          self.channel.send(1)
          try probe.finish()
        }
      ),
    ]
    for (line, expectation) in expectations {
      let failure = await failure(of: expectation)
      XCTAssertEqual(
        failure?.hasPrefix("ProbeSentenceTests.swift:\(line): channel.outlet: Expected "), true,
        "\(failure ?? "")")
    }
  }

  func test_C52f_aFunctionOfTheTestsOwnHandsOnWhereItsCallerIs() async throws {
    let probe = Probe(channel.outlet)
    func expectPair(
      fileID: StaticString = #fileID, line: UInt = #line
    ) async throws(ProbeFailure) {
      try await probe.next(2, within: .zero, clock: clock, fileID: fileID, line: line)
    }
    let failure = await failure { () throws(ProbeFailure) in try await expectPair() }
    XCTAssertEqual(
      failure,
      "ProbeSentenceTests.swift:\(#line - 3): "
        + "channel.outlet: Expected 2 elements, after none, but nothing came within 0 ms.")
  }

  func test_C52i_theTimeIsRounded() async throws {
    let times: [(Duration, String)] = [
      (.zero, "0 ms"), (.nanoseconds(499_999), "0 ms"), (.microseconds(500), "1 ms"),
      (.milliseconds(53), "53 ms"), (.microseconds(999_499), "999 ms"),
      (.microseconds(999_500), "1.0 s"), (.milliseconds(1049), "1.0 s"),
      (.milliseconds(1050), "1.1 s"), (.nanoseconds(5_000_123_456), "5.0 s"),
      (.milliseconds(59_960), "60.0 s"), (.seconds(3600), "3600.0 s"),
    ]
    for (time, text) in times {
      let probe = Probe(Outlet<Int>.never)
      let failure = await failure { () throws(ProbeFailure) in
        try await probe.next(within: time, clock: JumpingClock())
      }
      XCTAssertEqual(
        failure?.hasSuffix(" but nothing came within \(text)."), true, "\(failure ?? "")")
    }
  }

  func test_C52h_elementsAreShownAsTheyDescribeThemselves() async throws {
    let secret = Login(name: "ann", password: "hidden")
    let shown: [(String, String)] = [
      (await came(secret), "Login(…)"), (await came([secret]), "[Login(…)]"),
      (await came(Optional(secret)), "Login(…)"),
      (await came(Result<Login, Never>.success(secret)), "success(Login(…))"),
      (await came(["key": secret]), "[\"key\": Login(…)]"),
      (await came(Both()), "described"), (await came(7), "7"),
      (await came(""), "\"\""), (await came("a \"b\""), "\"a \\\"b\\\"\""),
      (await came(Substring("c")), "\"c\""), (await came(Character("d")), "\"d\""),
      (await came(Optional("e")), "\"e\""), (await came(()), "()"),
    ]
    for (sentence, element) in shown {
      XCTAssertEqual(sentence, "Expected nothing, but \(element) came within 0 ms.")
      XCTAssertFalse(sentence.contains("hidden"))
    }
  }

  func test_C52b_whatLooksTheSameAndIsNotEqualIsAnother() async throws {
    let probe = Probe(Outlet.just(Login(name: "ann", password: "hidden")))
    let failure = await failure { () throws(ProbeFailure) in
      try await probe.expect(
        Login(name: "ann", password: "other"), clock: JumpingClock(isFrozen: true))
    }
    XCTAssertEqual(
      failure,
      "ProbeSentenceTests.swift:\(#line - 5): "
        + "Outlet.just(Login(name: \"ann\", password: \"hidden\")): Expected Login(…), but another Login(…) "
        + "came within 0 ms.")
  }

  func test_C63_withProbeHasItsPlaceBeforeItsClosureBeginsAndFinishesItself() async throws {
    let count = try await withProbe(of: channel.outlet) { [channel] probe in
      channel.send(1)
      try await probe.expect(1)
      return channel.subscriberCount
    }
    XCTAssertEqual(count, 1)
    let state = CurrentValue(5)
    try await withProbe(of: state.outlet) { probe in
      try await probe.expect(5)
    }
    let line = #line + 2
    let failure = await failure(of: {
      try await withProbe(of: self.channel.outlet) { _ in _ = self.channel.send(2) }
    })
    XCTAssertEqual(
      failure,
      "ProbeSentenceTests.swift:\(line): self.channel.outlet: Expected nothing more, but the test left 2 unchecked."
    )
    let stateLine = #line + 1
    let failureOfState = await self.failure(of: { try await withProbe(of: state.outlet) { _ in } })
    XCTAssertEqual(
      failureOfState,
      "ProbeSentenceTests.swift:\(stateLine): state.outlet: Expected nothing more, but the test left 5 unchecked."
    )
  }

  func test_C63_whatTheClosureThrowsIsThrownThoughSomethingIsLeft() async throws {
    struct Broken: Error {}
    do {
      try await withProbe(of: Outlet.just(1, 2)) { probe in
        try await probe.expect(1)
        throw Broken()
      }
      XCTFail("nothing was thrown")
    } catch {
      XCTAssert(error is Broken, "\(error)")
    }
  }

  @MainActor
  func test_C63_theClosureRunsWhereItsCallerIs() async throws {
    var count = 0
    try await withProbe(of: channel.outlet) { probe in
      MainActor.preconditionIsolated()
      count += 1
      try await probe.expectNothing(for: .zero)
    }
    XCTAssertEqual(count, 1)
  }

  /// What a probe says of an element that was not expected.
  private func came<Element: Sendable>(_ element: Element) async -> String {
    let probe = Probe(Outlet.just(element))
    let failure = await failure { () throws(ProbeFailure) in
      try await probe.expectNothing(for: .seconds(1), clock: JumpingClock(isFrozen: true))
    }
    return (failure ?? "").components(separatedBy: "Outlet.just(element): ").last ?? ""
  }

  private func failure<Failure: Error>(
    of expectation: () async throws(Failure) -> Void
  ) async -> String? {
    do throws(Failure) {
      try await expectation()
      XCTFail("nothing was thrown")
      return nil
    } catch {
      return "\(error)"
    }
  }
}

private struct Login: Sendable, Equatable, CustomStringConvertible {
  let name: String
  let password: String

  var description: String { name }
}

private struct Both: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
  let description = "described"
  let debugDescription = "debug-described"
}
