import XCTest

@testable import AsyncChannelsTesting

final class NamesTests: XCTestCase {
  func test_aProbeIsNamedAsTheSourceNamesIt() {
    let lines = [
      "    let hits = Probe(viewModel.$hits)": "viewModel.$hits",
      "try await withProbe(of: viewModel.signInResult) { results in": "viewModel.signInResult",
      "let p = Probe<Int>(outlet.filter { $0 > 1 }.map { [$0, 1] })":
        "outlet.filter { $0 > 1 }.map { [$0, 1] }",
      "let p = Probe(outlet, as: name)": "outlet",
      "let (a, b) = (Probe(first), Probe(second))": nil,
      "let probe = Probe(": nil,
      "let probe = make(outlet)": nil,
      "let aProbe = MyProbe(outlet)": nil,
      "Probe()": nil,
    ]
    for (line, name) in lines { XCTAssertEqual(ProbeName.argument(in: line), name, line) }
  }

  func test_functionsAreNamedAsTheirAuthorsKnowThem() {
    let names = [
      "Search.SearchViewModel.run() async -> ()": "SearchViewModel.run",
      "(1) await resume partial function for Search.SearchViewModel.run() async -> ()":
        "SearchViewModel.run",
      "(2) suspend resume partial function for closure #1 (A.B) async throws -> () in T.Tests.test_a() async throws -> ()":
        "a closure in Tests.test_a",
      "Search.(List in _0123456789ABCDEF).load(_: Swift.Array<Swift.Int>) async -> Swift.Bool":
        "List.load",
      "(extension in AsyncChannelsRunning):Swift.AsyncSequence< where A: Swift.Sendable>.answer<A>(_: A) async -> ()":
        "AsyncSequence.answer",
      "AsyncChannels.Waiter.waitForElement(as: Swift.UInt64) async -> Swift.Bool": nil,
      "AsyncChannels.Doorbell.wait() async -> ()": nil,
      "AsyncChannelsRunning.Answering.answerEach() async -> ()": nil,
      "closure #1 () async -> () in AsyncChannelsRunning.together() async -> ()": "together",
      "Swift.TaskGroup.next() async -> A?": nil,
      "reabstraction thunk helper from A to B": nil,
      "main": nil,
    ]
    for (name, readable) in names { XCTAssertEqual(FunctionName.readable(name), readable, name) }
  }
}
