import TestSupport
import XCTest

@testable import AsyncChannels
@testable import AsyncChannelsRecording
@testable import AsyncChannelsRunning

/// C108a to C108d, C109: secrets that only their names, their marks or where they come from tell.
final class SecretsTests: XCTestCase {
  @propertyWrapper private struct Trimmed { var wrappedValue: String }
  private struct Wrapped { @Trimmed var iban = "s3cr3t" }
  private struct Lazy { lazy var iban = "s3cr3t" }
  private enum PasswordTag {}
  private struct Tagged<Tag, RawValue>: RawRepresentable { var rawValue: RawValue }
  private struct Token: Sendable { let kind: String }
  private struct Page<Item> { let items: [Item] }
  private struct Address { var accountNumber = "s3cr3t", street = "Main Street" }
  private struct Diagnosis: HiddenInRecordings { let text = "s3cr3t" }
  private class Note: HiddenInRecordings {}
  private final class LongNote: Note, CustomReflectable {
    var customMirror: Mirror { Mirror(self, children: ["text": "s3cr3t"]) }
  }
  private struct Count: ShownInRecordings { let value = 3, password = "s3cr3t" }
  private enum Command { case add(Count), rename(String), reset }

  func test_C108a_whatIsHiddenByNameIsHiddenInAllSpellingsOfIt() {
    let describer = Describer(hiding: ["iban", "houseNumber"])
    var lazy = Lazy()
    _ = lazy.iban
    XCTAssertEqual(describer.describe(Wrapped()), "Wrapped(iban: …)")
    XCTAssertEqual(describer.describe(lazy), "Lazy(iban: …)")
    for name in [
      "iban", "IBAN", "ibans", "userIBAN", "iban_of_user", "house-number", "HOUSENUMBER",
    ] {
      XCTAssertEqual(describer.describe([name: "s3cr3t"]), "[\"\(name)\": …]")
    }
    XCTAssertEqual(describer.describe(["house": "a"]), "[\"house\": \"a\"]")
  }

  func test_C108b_aNameBesideAValueHidesIt() {
    let pairs: KeyValuePairs = ["password": "s3cr3t", "name": "ann"]
    XCTAssertEqual(Describer().describe(pairs), "KeyValuePairs(…)")
    XCTAssertEqual(Describer().describe([("token", "s3cr3t")]), "[(\"token\", …)]")
  }

  func test_C108b_aTypeThatIsTaggedAsASecretShowsNothing() {
    let tagged = Tagged<PasswordTag, String>(rawValue: "s3cr3t")
    XCTAssertEqual(Describer().describe(tagged), "Tagged(…)")
    XCTAssertEqual(Describer().describe(["a": [tagged]]), "[\"a\": [Tagged(…)]]")
    let page = Page(items: [Token(kind: "comma")])
    XCTAssertEqual(Describer().describe(page), "Page(items: [Token(…)])")
  }

  func test_C108a_twoNamesTogetherAreThatOfASecret() {
    enum Payment { case card(number: String), cash(amount: Int) }
    XCTAssertEqual(Describer().describe(Payment.card(number: "s3cr3t")), "card(number: …)")
    XCTAssertEqual(Describer().describe(Payment.cash(amount: 3)), "cash(amount: 3)")
    XCTAssertEqual(Describer().describe(["api": ["key": "s3cr3t"]]), "[\"api\": [\"key\": …]]")
  }

  func test_C108a_whatTellsNothingOfASecretIsShown() {
    struct State { let hasPassword = true, tokenCount = 3, pinLength = 4, token = "s3cr3t" }
    XCTAssertEqual(
      Describer().describe(State()),
      "State(hasPassword: true, tokenCount: 3, pinLength: 4, token: …)")
    XCTAssertEqual(
      Describer(hiding: ["hasPassword"]).describe(State()),
      "State(hasPassword: …, tokenCount: 3, pinLength: 4, token: …)")
  }

  func test_C108a_describingIsAskedForATypeThatIsNamedLikeASecret() {
    let describer = Describer(custom: { ($0 as? Token).map { "token of kind \($0.kind)" } })
    XCTAssertEqual(describer.describe([Token(kind: "comma")]), "[token of kind comma]")
    XCTAssertEqual(Describer().describe([Token(kind: "comma")]), "[Token(…)]")
  }

  func test_C108d_whatIsSentOnFromALaneOfSecretsIsHiddenInOtherLanes() async {
    let form = Form()
    let recording = Recording(of: form)
    form.password.send("hunter2")
    form.password.send("correct horse")
    form.finish()
    await form.run()
    XCTAssertEqual(form.refused.pendingCount, 1)
    form.rejected.send("ann")
    let shown = recording.flow.events.filter { $0.kind == .sent }.map(\.text)
    XCTAssertEqual(Set(shown), ["…", "\"ann\""])
    XCTAssertFalse(recording.text(times: true).contains("hunter2"))
  }

  func test_C108d_aShortSecretIsHiddenAsAWholeValue() {
    let (cvv, pin, other) = (Channel<String>(), Channel<Double>(), Channel<[String]>())
    let numbers = Channel<Int>()
    let recording = Recording()
    recording.add(cvv, as: "cvv")
    recording.add(pin, as: "pin")
    recording.add(other, as: "other")
    recording.add(numbers, as: "numbers")
    cvv.send("737")
    cvv.send("")
    pin.send(0.5)
    other.send(["737", "0.5", "", "7370", "0.25"])
    for number in [737, 73, 7370] { numbers.send(number) }
    XCTAssertEqual(
      recording.flow.events.suffix(4).map(\.text),
      ["[…, …, \"\", \"7370\", \"0.25\"]", "…", "73", "7370"])
  }

  func test_C108d_aSecretIsHiddenHoweverManyThereAre() {
    let (password, other) = (Channel<String>(), Channel<String>())
    let count = Length.isFull ? 20_000 : 5_000
    let recording = Recording(limit: 50)
    recording.add(password, as: "password")
    recording.add(other, as: "other")
    for number in 0..<count { password.send("parsnip\(number)kettle") }
    for number in count - 10..<count { other.send("parsnip\(number)kettle") }
    XCTAssertEqual(
      recording.flow.events.suffix(10).map(\.text), Array(repeating: "…", count: 10))
    for number in 0..<40 { other.send("\(number) apples") }
    let shown = recording.flow.events.suffix(40).filter { $0.text != "…" }
    XCTAssertGreaterThan(shown.count, 35)
  }

  func test_C108d_whatWasSentBeforeALaneHadItsNameIsHiddenInOtherLanes() {
    let recording = Recording()
    let (secrets, counts, names) = (
      Channel<any Sendable>(), Channel<Int>(), Channel<any Sendable>()
    )
    func lane<Element>(of channel: Channel<Element>) -> LogRecorder {
      LogRecorder(
        LaneName(name: "Any", isMissing: true), on: recording.store, kind: .channel,
        following: channel.log)
    }
    let (secret, count, name) = (lane(of: secrets), lane(of: counts), lane(of: names))
    for value in ["hunter2", 731, ["melon", ""], true] as [any Sendable] { secrets.send(value) }
    counts.send(5)
    names.send("Ann")
    secret.learn(LaneName(name: "password"), .channel)
    count.learn(LaneName(name: "tokenCount"), .channel)
    name.learn(LaneName(name: "names"), .channel)
    for value in ["hunter2", 731, "melon", "", true, 5, "Ann"] as [any Sendable] {
      names.send(value)
    }
    XCTAssertEqual(
      recording.flow.events.suffix(7).map(\.text), ["…", "…", "…", "\"\"", "true", "5", "\"Ann\""])
  }

  func test_C108d_ofTooManyBeforeALaneHadItsNameNoneIsShown() {
    let (secrets, others) = (Channel<String>(), Channel<String>())
    let recording = Recording()
    recording.add(others, as: "others")
    let secret = LogRecorder(
      LaneName(name: "String", isMissing: true), on: recording.store, kind: .channel,
      following: secrets.log)
    for number in 0..<1_000 { secrets.send("parsnip\(number)") }
    others.send("parsnip999")
    secret.learn(LaneName(name: "password"), .channel)
    others.send("parsnip999")
    XCTAssertEqual(recording.flow.events.suffix(2).map(\.text), ["\"parsnip999\"", "…"])
  }

  func test_C109_aMarkedValueIsNotShownWhateverDescribesIt() {
    let describer = Describer(custom: { $0 is Diagnosis ? "s3cr3t" : nil })
    XCTAssertEqual(describer.describe([Diagnosis()]), "[Diagnosis(…)]")
    XCTAssertEqual(Describer().describe(LongNote()), "LongNote(…)")
    XCTAssertEqual(Describer().describe(Optional(Note()) as Any), "Note(…)")
  }

  func test_C109_ifOnlyMarkedValuesAreToBeShownNothingElseIs() {
    let describer = Describer(
      showsOnlyMarked: true, custom: { $0 as? Character == "a" ? "the first" : nil })
    let shown: [(Any, String)] = [
      (Count(), "Count(value: 3, password: …)"), (Command.add(Count()), "Command(…)"),
      (Command.reset, "Command(…)"), ("text", "…"), (3, "…"), (true, "…"),
      ([Count()], "[Count(value: 3, password: …)]"), (["a": 1], "[…: …]"), ([1, 2], "[…, …]"),
      (Optional<Int>.none as Any, "…"), (Address(), "Address(…)"),
      ((1, Count()), "(…, Count(value: 3, password: …))"),
      (Character("a"), "the first"),
    ]
    for (value, words) in shown { XCTAssertEqual(describer.describe(value), words) }
  }

  func test_C108c_aTextIsShownWithoutWhatLooksLikeASecret() {
    let shown = [
      ("Authorization: Bearer abc.def", "Authorization: …"), ("Bearer aB3-def", "Bearer …"),
      ("{\"password\":\"s3cr3t\", \"user\": \"ann\"}", "{\"password\":…, \"user\": \"ann\"}"),
      ("https://ann:s3cr3t@h.example/a?page=1", "https://…@h.example/a?page=1"),
      ("https://h.example/?token=s3cr3t&page=1#top", "https://h.example/?token=…&page=1#top"),
      ("password=s3cr3t", "password=…"), ("4111 1111 1111 1111", "…"), ("4111 1111 1111 1112", nil),
      ("DE89370400440532013000", "…"), ("DE89370400440532013001", nil), ("078-05-1120", "…"),
      ("1\n-----BEGIN PRIVATE KEY-----\nabc", "1\n…"), ("sk-abcdefghijklmnop", "…"),
    ]
    for (text, expected) in shown {
      XCTAssertEqual(SecretText.scrub(text, SecretNames()), expected ?? text)
    }
    XCTAssertEqual(Describer().describe(4_111_111_111_111_111), "…")
  }
}

private final class Form: Sendable {
  private let passwords = Input<String>()
  let rejected = Channel<String>()
  let refused: Subscription<String>
  var password: Inlet<String> { passwords.inlet.contramap { $0 } }

  init() { refused = rejected.outlet.subscribe() }

  func finish() { passwords.finish() }

  func run() async {
    let begun = Gate()
    await passwords.received.answer(
      .firstOnly,
      ignored: rejected.inlet.contramap {
        begun.open(); return $0
      },
      by: { (text: String) async -> Int in
        await begun.pass()
        return text.count
      }, publish: { _, _ in })
  }
}
