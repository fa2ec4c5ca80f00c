import AsyncChannelsRecording
import AsyncChannelsRunning
import AsyncChannelsTesting
import AsyncViewModels
import Foundation
import XCTest

/// C87: the pictures of the guide "Reading a flow" are what a recording shows.
@MainActor
final class ReadingAFlowTests: XCTestCase {
  func test_C87a_theStaleAnswerOfTheGuideIsSeenInThePicture() async throws {
    let picture = try await flow(of: .concurrent, answering: ["swift", "s"])
    try assertGuide(contains: picture.text())
    try assertGuide(contains: picture.marbles())
  }

  func test_C87a_theMendedSearchOfTheGuideShowsWhatWasSuperseded() async throws {
    try assertGuide(
      contains: try await flow(of: .latestOnly, answering: ["swift"]).text(legend: false))
  }

  func test_C87_aSequenceDiagramHasAnArrowForEachCause() async throws {
    let flow = try await flow(of: .concurrent, answering: ["swift", "s"])
    XCTAssertEqual(
      flow.mermaid(),
      """
      sequenceDiagram
        participant outside
        participant L0 as SearchViewModel.query
        participant L1 as SearchViewModel.hits
        outside->>L0: #35;1 #34;s#34;
        outside->>L0: #35;2 #34;swift#34;
        Note over L0: #35;1 taken
        Note over L0: #35;2 taken
        L0->>L1: [#34;hits for swift#34;] ← #35;2
        L0->>L1: [#34;hits for s#34;] ← #35;1
        Note over L0,L1: arrow: sent, an arrow comes from what caused it

      """)
  }

  func test_C87_aPictureDescribesItselfInWords() async throws {
    let svg = try await flow(of: .concurrent, answering: ["swift", "s"]).svg()
    XCTAssertTrue(svg.contains("aria-labelledby=\"flow-title flow-words\""))
    XCTAssertTrue(svg.contains("<title id=\"flow-title\">The flow of SearchViewModel</title>"))
    XCTAssertTrue(
      svg.contains("SearchViewModel.hits: [&quot;hits for s&quot;] ← #1.\n"), svg)
    XCTAssertFalse(svg.contains("<script"))
    for word in ["sent", "taken", "caused"] { XCTAssertTrue(svg.contains(">\(word)</text>"), word) }
    XCTAssertFalse(svg.contains(">dropped</text>"))
  }

  func test_C85h_eachPictureSaysHowManyEventsItLeftOut() {
    let recording = Recording(limit: 2)
    let channel = Channel<Int>()
    recording.add(channel, as: "numbers")
    for number in 1...3 { channel.send(number) }
    // With class "c", it has a colour that suits the page.
    for (picture, place) in [
      (recording.mermaid(), "  Note over L0: "), (recording.svg(), "class=\"c label\""),
      (recording.perfetto(), "\"name\":\""),
    ] {
      let lines = picture.split(separator: "\n")
      XCTAssertTrue(
        lines.contains { $0.contains(place) && $0.contains("1 earlier event was left out") },
        picture)
    }
  }

  func test_C111_eachFormSaysWhatItsMarksMean() async throws {
    let recording = Recording()
    let numbers = Channel<Int>()
    recording.add(numbers, as: "numbers")
    let subscription = numbers.outlet.subscribe(buffering: .bufferingNewest(1))
    for number in 1...2 { numbers.send(number) }
    numbers.finish()
    _ = await subscription.next()
    XCTAssertTrue(recording.text().hasSuffix("\n\n● sent  ◆ taken  ✕ dropped  ■ finished\n"))
    XCTAssertTrue(
      recording.text(times: true).hasSuffix(
        "\n\n● sent  ◆ taken  ✕ dropped  ■ finished  ┬ subscribed\n"))
    XCTAssertTrue(
      recording.text(ascii: true).hasSuffix("\n\n* sent  v taken  x dropped  = finished\n"))
    XCTAssertTrue(recording.marbles().hasSuffix("\n\n✕ dropped  ■ finished\n"))
    XCTAssertTrue(recording.perfetto().contains("\"legend\":\"slice: sent; "))
    XCTAssertTrue(recording.mermaid().contains("arrow: sent, cross: dropped\n"))
    for words in ["sent", "taken", "dropped", "finished", "subscribed"] {
      XCTAssertTrue(recording.svg().contains(">\(words)</text>"), words)
    }
  }

  func test_C111_aPictureOfALongFlowIsCutWithASentence() {
    let recording = Recording()
    let numbers = Channel<Int>()
    recording.add(numbers, as: "numbers")
    for number in 1...3_000 { numbers.send(number) }
    let svg = recording.svg()
    XCTAssertTrue(svg.contains(">1000 earlier events were left out</text>"))
    XCTAssertEqual(svg.components(separatedBy: " sent\">").count - 1, 2_000)
    XCTAssertTrue(recording.mermaid().contains("2700 earlier events were left out"))
    XCTAssertLessThan(recording.mermaid().count, 50_000)
  }

  /// A view model that goes finishes its channels, which is another line.
  private var kept: [SearchViewModel] = []

  /// Two queries, the second while the first is being searched for.
  ///
  /// - Parameter queries: In the order in which they are answered.
  private func flow(of overlap: Overlap, answering queries: [String]) async throws -> Recording {
    let recording = Recording()
    try await withTestTime { time in
      let viewModel = SearchViewModel(overlap: overlap) { [clock = time.clock] query in
        let seconds = (queries.firstIndex(of: query) ?? queries.count) + 1
        try? await clock.sleep(for: .seconds(seconds))
        return ["hits for \(query)"]
      }
      self.kept.append(viewModel)
      recording.add(viewModel)
      let hits = viewModel.hits.subscribe()
      await withRunning(viewModel) {
        viewModel.query.send("s")
        await time.idle()
        viewModel.query.send("swift")
        await time.run()
      }
      withExtendedLifetime(hits) {}
    }
    return recording
  }

  private func assertGuide(
    contains picture: String, file: StaticString = #filePath, line: UInt = #line
  ) throws {
    try assert(
      "Sources/AsyncChannels/AsyncChannels.docc/ReadingAFlow.md", contains: picture, file, line)
  }

  private func assert(
    _ document: String, contains picture: String, _ file: StaticString = #filePath,
    _ line: UInt = #line
  ) throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
    let text = try String(contentsOf: root.appending(path: document), encoding: .utf8)
    // Whole: one picture may be the beginning of another.
    XCTAssertTrue(
      text.contains("```\n\(picture)```") || text.contains("```text\n\(picture)```"),
      "\(document) lacks:\n\(picture)", file: file, line: line)
  }
}

@MainActor
private final class SearchViewModel: ViewModel {
  @Input var query: Inlet<String>
  @Output var hits: Outlet<[String]>
  private let overlap: Overlap
  private let search: @Sendable (String) async -> [String]

  init(overlap: Overlap, search: @escaping @Sendable (String) async -> [String]) {
    self.overlap = overlap
    self.search = search
  }

  func run() async {
    await _query.received.answer(OverlapRule(overlap), by: search) { self._hits.send($1) }
  }
}
