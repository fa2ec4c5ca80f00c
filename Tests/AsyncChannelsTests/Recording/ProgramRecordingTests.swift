import Synchronization
import TestSupport
import XCTest

@testable import AsyncChannels
@testable import AsyncChannelsRecording
@testable import AsyncChannelsRunning

/// C85i to C85k, C86f: a recording of all that is made in a program.
final class ProgramRecordingTests: XCTestCase {
  @MainActor
  private final class FormViewModel: ViewModel {
    @Input var name: Inlet<String>
    @Input var password: Inlet<String>
    @CurrentValue var members: [Member] = []
    @CurrentValue var count = 7

    func run() async {
      for await name in _name.received {
        members.append(Member(name: name, token: "t0ken"))
        count += 1
      }
    }
  }
  private struct Member: Sendable { let name: String, token: String }

  /// Other tests' tasks may make channels meanwhile.
  private func lanes(_ recording: Recording, of owner: String) -> [String: String?] {
    let lanes = recording.flow.lanes.filter { $0.owner == owner }.map { ($0.name, $0.value) }
    return Dictionary(lanes) { first, _ in first }
  }

  @MainActor
  func test_C85i_C85j_whatIsMadeIsSeenAndNamedWhenItsViewModelRuns() async throws {
    let recording = Recording.ofProgram()
    let form = FormViewModel()
    form.password.send("hunter2")
    await withRunning(form) {
      form.name.send("Ann")
      let counts = form.$count.subscribe()
      while let count = await counts.next(), count != 8 {}
    }
    let lanes = lanes(recording, of: "FormViewModel")
    XCTAssertEqual(
      lanes,
      [
        "name": nil, "password": nil, "members": "[Member(name: \"Ann\", token: …)]",
        "count": "8",
      ])
    let text = recording.text(times: true)
    XCTAssertTrue(text.contains("\"Ann\" ") || text.contains("\"Ann\"\n"), text)
    XCTAssertFalse(text.contains("hunter2") || text.contains("t0ken"), text)
    XCTAssertTrue(text.contains("8 ← "), "it is caused by the name: \(text)")
  }

  func test_C85k_untilALaneHasANameTextsAndNumbersInItAreHidden() async {
    enum Command: Sendable { case add(name: String), rename(String), reset }
    struct Login: Sendable { let user: String, password: String }
    struct Page<Item: Sendable>: Sendable { let item: Item }
    let describer = Describer()
    let recording = Recording()
    let lane = LogRecorder(
      LaneName(name: "Any", isMissing: true), on: recording.store, kind: .channel,
      following: Channel<Int>().log)
    let shown: [(Any, String)] = [
      ("s3cr3t", "…"), (731, "…"), (0.5, "…"), (true, "true"), (["s3cr3t"], "…"),
      ([nil, "s3cr3t"], "…"), ([731], "…"), (["s3cr3t": 1], "…"), (("s3cr3t", 1), "…"),
      (Result<String, DeadlineExceeded>.success("s3cr3t"), "…"), (Page(item: "s3cr3t"), "…"),
      (Page(item: Command.reset), "Page(item: reset)"), (Optional("s3cr3t") as Any, "…"),
      (Command.add(name: "Ann"), "add(name: \"Ann\")"), (Command.reset, "reset"),
      (Login(user: "ann", password: "s3cr3t"), "Login(user: \"ann\", password: …)"),
      ([Login(user: "ann", password: "s3cr3t")], "[Login(user: \"ann\", password: …)]"),
    ]
    for (value, words) in shown { XCTAssertEqual(lane.describe(value, through: []), words) }
    lane.learn(LaneName(name: "names"), .channel)
    XCTAssertEqual(lane.describe("Ann", through: []), describer.describe("Ann"))
    lane.learn(LaneName(name: "others"), .channel)
    XCTAssertEqual(lane.name.name, "names")
  }

  func test_C85i_itKeepsNothingAliveAndItsMemoryDoesNotGrow() async {
    let recording = Recording.ofProgram(limit: 100)
    weak var last: Channel<Int>?
    for number in 0..<1_000 {
      let channel = Channel<Int>()
      channel.send(number)
      recording.add(channel, as: "channel")
      last = channel
    }
    XCTAssertNil(last)
    XCTAssertLessThan(recording.flow.lanes.count, 400)
    XCTAssertEqual(recording.flow.events.count, 100)
  }

  func test_C85i_onceItIsDroppedNothingIsFollowed() {
    var recording: Recording? = .ofProgram()
    let before = Channel<Int>()
    XCTAssertEqual(before.log.observers.count, recording == nil ? 0 : 1)
    recording = nil
    XCTAssertEqual(before.log.observers.count, 0)
    XCTAssertEqual(Channel<Int>().log.observers.count, 0)
  }

  func test_C86f_aReaderThatStandsStillDelaysNoSenderAndIsToldWhatItMissed() async throws {
    let channel = Channel<Int>()
    let recording = Recording(limit: 100)
    recording.add(channel, as: "numbers")
    let (gate, begun) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let lines = Locked<[String]>([])
    let token = recording.lines(as: "test") { text in
      lines.withLock { $0 += text.split(separator: "\n").map(String.init) }
      begun.signal()
      gate.wait()
      return true
    }
    channel.send(-1)
    begun.wait()
    for number in 0..<1_000 { channel.send(number) }
    XCTAssertFalse(recording.flush(atMost: .milliseconds(20)))
    for _ in 0..<100 { gate.signal() }
    XCTAssertTrue(recording.flush(atMost: .seconds(20)))
    let all = lines.withLock { $0 }
    let sent = all.filter { $0.contains("\"e\":\"sent\"") }.count
    let missed = all.compactMap { $0.wholeMatch(of: /\{"missed":(\d+)\}/) }.compactMap { Int($0.1) }
    XCTAssertEqual(sent + missed.reduce(0, +), 1_001)
    XCTAssertGreaterThanOrEqual(missed.reduce(0, +), 900)
    XCTAssertTrue(all[0].hasPrefix("{\"v\":1,\"program\":\"test\",\"run\":\""), all[0])
    token.cancel()
    channel.send(0)
    XCTAssertTrue(recording.flush())
    XCTAssertEqual(lines.withLock { $0.count }, all.count)
  }

  func test_C86f_aClosureIsToldOfEachEventInWords() async throws {
    let (names, counts) = (Channel<String>(), CurrentValue(0))
    let recording = Recording(clock: JumpingClock())
    recording.add(names, as: "names")
    recording.add(counts, as: "counts")
    let told = Locked<[String]>([])
    let token = recording.follow { event in told.withLock { $0.append("\(event)") } }
    let subscription = names.outlet.subscribe()
    names.send("a\u{1B}b")
    counts.update { $0 += 1 }
    withExtendedLifetime(subscription) {}
    XCTAssertTrue(recording.flush(atMost: .seconds(20)))
    XCTAssertEqual(
      told.withLock { $0.map { String($0.drop { $0 != "m" }.dropFirst(3)) } },
      [
        "names subscribed by subscription 1", "names sent 1 \"a\\u{1B}b\"", "counts sent 2 1",
      ])
    token.cancel()
  }

  /// The 500 secrets are in `SecretCorpusTests`.
  func test_C88a_noSecretIsInALineOrACrashReport() async throws {
    let file = NSTemporaryDirectory() + UUID().uuidString
    defer { unlink(file) }
    let (cvv, other) = (Channel<String>(), CurrentValue(""))
    let recording = Recording()
    recording.add(cvv, as: "cvv")
    recording.add(other, as: "note")
    try recording.keepCrashReport(in: file)
    let lines = Locked("")
    let token = recording.lines(as: "test") { text in
      lines.withLock { $0 += text }
      return true
    }
    cvv.send("9737")
    other.value = "9737"
    other.value = "Bearer abc9737def.ghi"
    XCTAssertTrue(recording.flush(atMost: .seconds(20)))
    let exports = try [
      lines.withLock { $0 }, recording.crashReport(),
      XCTUnwrap(Recording.crashReport(in: file)), String(contentsOfFile: file, encoding: .utf8),
    ]
    for export in exports {
      XCTAssertTrue(export.contains("Bearer …"), export)
      XCTAssertFalse(export.contains("9737"), export)
    }
    token.cancel()
  }
}
