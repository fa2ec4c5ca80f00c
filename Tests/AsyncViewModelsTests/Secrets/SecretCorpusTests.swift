import AsyncChannels
import AsyncChannelsRecording
import Synchronization
import TestSupport
import XCTest

/// C108a, C108c: five hundred secrets in fifty kinds of containers, and five hundred values that stay readable.
final class SecretCorpusTests: XCTestCase {
  func test_C108a_C108c_noSecretOfTheCorpusIsInAnyExportInAnyContainer() {
    XCTAssertEqual(SecretCorpus.named.count, 250)
    XCTAssertEqual(SecretCorpus.shaped.count, 250)
    XCTAssertEqual(SecretContainers.kinds.count, 50)
    for (number, kind) in SecretContainers.kinds.enumerated() {
      let secrets = Length.sample(SecretCorpus.named, number, of: 11)
      let named = words(secrets.map { kind.make(.init(name: $0.name, value: $0.value)) })
      for (secret, text) in zip(secrets, named) where text.contains("LEAK") {
        XCTFail("\(secret.name) in \(kind.name): \(text)")
      }
      let others = Length.sample(SecretCorpus.shaped, number, of: 11)
      let shaped = words(others.map { kind.make(.init(name: "note", value: $0.value)) })
      for (secret, text) in zip(others, shaped) where text.contains(secret.core) {
        XCTFail("\(secret.value) in \(kind.name): \(text)")
      }
    }
  }

  func test_C108a_C108c_noExportHasASecretOfTheCorpus() throws {
    for (number, kind) in Length.sample(SecretContainers.kinds, 0, of: 10).enumerated() {
      let sample = Length.sample(SecretCorpus.named, number, of: 10)
      let secrets = sample.map { kind.make(.init(name: $0.name, value: $0.value)) }
      for (form, export) in try exports(of: secrets) where has(export, "LEAK") {
        XCTFail("\(form) shows a secret in \(kind.name)")
      }
    }
    let shaped = Length.sample(SecretCorpus.shaped, 0)
    for (form, export) in try exports(of: shaped.map(\.value)) {
      for secret in shaped where has(export, secret.core) {
        XCTFail("\(form) shows \(secret.value)")
      }
    }
  }

  func test_C108a_whatIsHarmlessStaysReadable() {
    XCTAssertEqual(Set(HarmlessCorpus.texts).count, 250)
    XCTAssertEqual(Set(HarmlessCorpus.names).count, 250)
    for (text, shown) in zip(HarmlessCorpus.texts, words(HarmlessCorpus.texts)) {
      XCTAssertEqual(shown, text.debugDescription)
    }
    let fields = HarmlessCorpus.names.map { SecretContainers.Field(name: $0, value: "as it is") }
    for (name, shown) in zip(HarmlessCorpus.names, words(fields)) {
      XCTAssertEqual(shown, "Field(\(name): \"as it is\")")
    }
  }

  func test_C109_aFuzzerFindsAMarkedValueInNoExport() throws {
    var random = SplitMix64(seed: 121)
    for _ in 0..<(Length.isFull ? 20 : 1) {
      let values = (0..<60).map { _ in RandomValue.around(Marked(), &random) }
      for (form, export) in try exports(of: values) where export.contains("LEAK") {
        let value = values.first { words([$0])[0].contains("LEAK") }
        return XCTFail("\(form) shows a marked value: \(value.map { "\($0)" } ?? "?")")
      }
    }
  }

  func test_C109_aFuzzerFindsNothingThatIsNotMarkedIfOnlyThatIsToBeShown() throws {
    var random = SplitMix64(seed: 122)
    for _ in 0..<(Length.isFull ? 20 : 1) {
      let values = (0..<60).map { _ in RandomValue.around("LEAK", &random) }
      for (form, export) in try exports(of: values, showing: .onlyMarked)
      where export.contains("LEAK") {
        return XCTFail("\(form) shows what is not marked")
      }
    }
  }

  /// As bytes: Foundation's search, by character, takes most of such a test.
  private func has(_ text: String, _ part: String) -> Bool {
    Data(text.utf8).range(of: Data(part.utf8)) != nil
  }

  /// Each value as a recording shows it.
  private func words(_ values: [any Sendable]) -> [String] {
    let channel = Channel<any Sendable>()
    let recording = Recording()
    recording.add(channel, as: "values")
    for value in values { channel.send(value) }
    return recording.flow.events.map(\.text)
  }

  private func exports(
    of values: [any Sendable], showing: Recording.Showing = .allButSecrets
  ) throws -> [(String, String)] {
    let channel = Channel<any Sendable>()
    let state = CurrentValue<any Sendable>(0)
    let recording = Recording(showing: showing)
    recording.add(channel, as: "values")
    recording.add(state, as: "state")
    let file = NSTemporaryDirectory() + UUID().uuidString
    defer { unlink(file) }
    try recording.keepCrashReport(in: file, kilobytes: 64)
    let lines = Locked("")
    let reading = recording.lines(as: "test") { text in
      lines.withLock { $0 += text }
      return true
    }
    let subscription = channel.outlet.subscribe(buffering: .bufferingNewest(1))
    for value in values { channel.send(value) }
    for value in values.suffix(10) { state.update { $0 = value } }
    withExtendedLifetime(subscription) {}
    XCTAssertTrue(recording.flush(atMost: .seconds(20)))
    reading.cancel()
    return [
      ("lines", lines.withLock { $0 }), ("crash report", recording.crashReport(kilobytes: 64)),
      ("crash file", String(decoding: try Data(contentsOf: URL(filePath: file)), as: UTF8.self)),
      ("text", recording.text()), ("text with times", recording.text(times: true)),
      ("ASCII", recording.text(ascii: true)), ("marbles", recording.marbles()),
      ("SVG", recording.svg()), ("Perfetto", recording.perfetto()),
      ("Mermaid", recording.mermaid()),
    ]
  }
}

/// Tells what it has in all ways that there are.
private struct Marked: HiddenInRecordings, Sendable, Hashable, CustomStringConvertible,
  CustomReflectable, Error
{
  var description: String { "LEAK" }
  var customMirror: Mirror { Mirror(self, children: ["text": "LEAK"]) }
}

/// Random values around another one.
private enum RandomValue {
  struct Described<Value: Sendable>: Sendable, CustomStringConvertible {
    let value: Value
    var description: String { "Described \(value)" }
  }
  struct Reflected<Value: Sendable>: Sendable, CustomReflectable {
    let value: Value
    let style: Mirror.DisplayStyle?
    var customMirror: Mirror { Mirror(self, children: ["value": value], displayStyle: style) }
  }
  struct Row<Value: Sendable>: Sendable { let id: Int, values: [Value], title: String }
  enum Choice<Value: Sendable>: Sendable { case plain(Value), labelled(value: Value, Int) }
  struct Failure<Value: Sendable>: Error { let value: Value }

  static func around(_ value: any Sendable, _ random: inout SplitMix64) -> any Sendable {
    var value = value
    var depth = 0
    repeat {
      value = wrapped(value, random.number(0...19))
      depth += 1
    } while depth < 8 && !random.oneIn(4)
    return value
  }

  private static func wrapped<Value: Sendable>(_ value: Value, _ way: Int) -> any Sendable {
    switch way {
    case 0: [value]
    case 1: Optional(value)
    case 2: ["key": value]
    case 3: (1, value)
    case 4: (label: value, other: 2)
    case 5: Described(value: value)
    case 6: [Described(value: value), Described(value: value)]
    case 7: Reflected(value: value, style: .struct)
    case 8: Reflected(value: value, style: .dictionary)
    case 9: Reflected(value: value, style: .set)
    case 10: Reflected(value: value, style: nil)
    case 11: Row(id: 1, values: [value, value], title: "a")
    case 12: Choice.plain(value)
    case 13: Choice.labelled(value: value, 3)
    case 14: Result<Value, Failure<Value>>.success(value)
    case 15: Result<Int, Failure<Value>>.failure(Failure(value: value))
    case 16: [1: [Optional(value)]]
    case 17: Failure(value: value)
    case 18: Reflected(value: [value], style: .class)
    default: value
    }
  }
}
