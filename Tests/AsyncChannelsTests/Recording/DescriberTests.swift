import TestSupport
import XCTest

@testable import AsyncChannels
@testable import AsyncChannelsRecording

/// C88: elements in words, without what is secret.
final class DescriberTests: XCTestCase {
  private struct Token {
    let value = "s3cr3t"
  }
  private struct Login {
    var user = "ann"
    var password: String? = "s3cr3t"
  }
  /// Its own words give its secret away.
  private struct Talkative: CustomStringConvertible {
    var name = "ann"
    var apiKey = "s3cr3t"
    var description: String { "\(name) with \(apiKey)" }
  }
  private enum Event {
    case signedIn(token: String), password(String), named(String, age: Int), ended
  }
  private final class Box: Sendable {
    let password = "s3cr3t"
  }
  private struct Patient {
    let name = "s3cr3t"
  }
  private struct Nothing {}
  private enum Field: Hashable {
    case name, password
  }
  /// Its secret is under a key, and far behind.
  private struct Headers: CustomStringConvertible {
    let a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0
    let i = 0, j = 0, k = 0, l = 0, m = 0, n = 0, o = 0, p = 0
    let fields = ["authorization": "s3cr3t"]
    var description: String { "Headers \(fields)" }
  }
  /// Its mirror shows a part of it, as its description does.
  private struct Member: CustomStringConvertible, CustomReflectable {
    var name = "s3cr3t"
    var age = 7
    var description: String { "Member(name: \(name))" }
    var customMirror: Mirror { Mirror(self, children: ["name": name]) }
  }
  /// Its description shows its secret in other characters, or the beginning of it.
  private struct Disguised: CustomStringConvertible {
    let show: @Sendable (String) -> String
    let fields = ["privateKey": "BEGIN\n\"s3cr3t\"\nEND"]
    var description: String { "Disguised \(show(fields["privateKey"]!))" }
  }
  /// Its only secret is deeper than anybody looks.
  private struct Deep: CustomStringConvertible {
    var inner = [[[[[[[[[["password": "s3cr3t"]]]]]]]]]]
    var description: String { "Deep \(inner)" }
  }
  /// Its description leaves out more than what is named like a secret.
  private struct Card: CustomStringConvertible {
    let number = "4111 s3cr3t 1111"
    let cvc = "123"
    var description: String { "Card \(number.suffix(4))" }
  }
  private class Session: CustomStringConvertible {
    let token = "s3cr3t"
    var description: String { "Session \(token)" }
  }
  private final class Closed: Session, CustomReflectable {
    var customMirror: Mirror { Mirror(self, children: []) }
  }
  private final class Open: Session, CustomReflectable {
    var customMirror: Mirror { Mirror(self, children: ["user": "ann", "token": token]) }
  }
  private struct Listing: CustomReflectable {
    let style: Mirror.DisplayStyle?
    var customMirror: Mirror {
      Mirror(self, children: ["password": "s3cr3t", "name": "ann"], displayStyle: style)
    }
  }
  private struct Nested {
    let logins = ["a": Login()]
    let token: Token? = Token()
  }

  func test_C88a_secretsAreNotShownHoweverDeepTheyAre() {
    let shown: [(Any, String)] = [
      (Token(), "Token(…)"), ([Token()], "[Token(…)]"), (Optional(Token()) as Any, "Token(…)"),
      (Result<Token, any Error>.success(Token()), "success(Token(…))"),
      (["key": Token()], "[\"key\": Token(…)]"), (["password": "s3cr3t"], "[\"password\": …]"),
      (Login(), "Login(user: \"ann\", password: …)"),
      (Talkative(), "Talkative(…)"), ([Talkative()], "[Talkative(…)]"),
      (Event.signedIn(token: "s3cr3t"), "signedIn(token: …)"),
      (Event.password("s3cr3t"), "password(…)"), (Box(), "Box"),
      ((user: "ann", secret: "s3cr3t"), "(user: \"ann\", secret: …)"),
      (
        Nested(),
        "Nested(logins: [\"a\": Login(user: \"ann\", password: …)], token: …)"
      ),
    ]
    for (value, words) in shown {
      XCTAssertEqual(Describer().describe(value), words)
    }
  }

  func test_C88a_whatIsNamedIsHiddenToo() {
    let describer = Describer(hiding: ["patient", "user"])
    XCTAssertEqual(describer.describe(Patient()), "Patient(…)")
    XCTAssertEqual(describer.describe(Login()), "Login(user: …, password: …)")
    XCTAssertEqual(Describer(custom: { $0 is Int ? "a number" : nil }).describe([1]), "[a number]")
  }

  func test_C88a_whatACustomMirrorShowsIsSearchedToo() {
    XCTAssertEqual(Describer().describe(Member()), "Member(name: s3cr3t)")
    let describer = Describer(hiding: ["name"])
    XCTAssertEqual(describer.describe(Member()), "Member(…)")
    XCTAssertEqual(describer.describe(["a": Member()]), "[\"a\": Member(…)]")
    let styles: [Mirror.DisplayStyle?] = [
      .struct, .class, .tuple, .collection, .set, .dictionary, .enum, .optional, nil,
    ]
    for style in styles {
      let shown = Describer().describe(Listing(style: style))
      XCTAssertFalse(shown.contains("s3cr3t"), "\(style as Any): \(shown)")
    }
    let shown = Describer().describe(Listing(style: nil))
    XCTAssertEqual(shown, "Listing(password: …, name: \"ann\")")
  }

  func test_C88c_aDescriptionThatShowsASecretInOtherCharactersIsNotShown() {
    let ways: [@Sendable (String) -> String] = [
      { "\([$0])" }, { String($0.suffix(10).prefix(5)) }, { String($0.reversed()) },
      { $0.utf8.map { String($0) }.joined() },
    ]
    for way in ways {
      XCTAssertEqual(Describer().describe(Disguised(show: way)), "Disguised(…)")
    }
    XCTAssertEqual(Describer().describe(Deep()), "Deep(…)")
  }

  func test_C88c_whatADescriptionLeavesOutIsNotShownBecauseOfASecretBesideIt() {
    XCTAssertEqual(Describer().describe(Card()), "Card(…)")
  }

  func test_C88d_ofAnObjectOnlyTheTypeIsShownOrItsCustomMirror() {
    let shown: [(Any, String)] = [
      (Session(), "Session"), ([Session()], "[Session]"), (Closed(), "Closed"),
      (Open(), "Open(user: \"ann\", token: …)"), (NSObject(), "NSObject"),
    ]
    for (value, words) in shown { XCTAssertEqual(Describer().describe(value), words) }
    let describer = Describer(custom: { ($0 as? Session).map { _ in "a session" } })
    XCTAssertEqual(describer.describe([Session()]), "[a session]")
  }

  func test_C88b_whatCameThroughAnInletThatIsNamedLikeASecretIsShownInNoLane() {
    let form = Form()
    let recording = Recording(of: form, hiding: ["nickname"])
    form.password.send("s3cr3t")
    form.nickname.send("s3cr3t")
    form.alias.send("s3cr3t")
    form.name.send("ann")
    XCTAssertEqual(recording.flow.events.map(\.text), ["…", "…", "…", "\"ann\""])
    XCTAssertTrue(recording.text().contains("password"))
    XCTAssertFalse(recording.text().contains("s3cr3t"), recording.text())
  }

  func test_C88a_aChannelThatIsNamedLikeASecretShowsNothing() {
    let form = SignUp()
    let recording = Recording(of: form, hiding: ["nickname"])
    form.password.value = "s3cr3t"
    form.nickname.value = "s3cr3t"
    XCTAssertEqual(recording.flow.events.map(\.text), ["…", "…"])
    for text in [recording.text(), recording.text(times: true), recording.marbles()] {
      XCTAssertFalse(text.contains("s3cr3t"), text)
    }
  }

  func test_C88a_keysThatAreNoTextHideToo() {
    XCTAssertEqual(Describer().describe([Field.password: "s3cr3t"]), "[password: …]")
    XCTAssertEqual(Describer().describe([Field.name: "ann"]), "[name: \"ann\"]")
  }

  func test_C88a_whatATypeTellsOfItselfHidesWhatIsUnderAKeyOrFarBehind() {
    XCTAssertEqual(Describer(hiding: ["authorization"]).describe(Headers()), "Headers(…)")
  }

  func test_C87a_whatIsInASetIsInTheSameOrderInEachRun() {
    XCTAssertEqual(Describer().describe(Set(["c", "a", "b"])), "[\"a\", \"b\", \"c\"]")
    let numbers = Describer().describe(Set((100..<200).map(String.init)))
    XCTAssertTrue(numbers.hasPrefix("[\"100\", \"101\""), numbers)
  }

  func test_plainValuesAreShownAsTheyAre() {
    let shown: [(Any, String)] = [
      (1, "1"), (true, "true"), ("a\nb", "\"a\\nb\""), (Optional<Int>.none as Any, "nil"),
      (Optional(3) as Any, "3"), ((), "()"), ((1, "b"), "(1, \"b\")"), ([Int](), "[]"),
      ([String: Int](), "[:]"), (Event.ended, "ended"),
      (Event.named("ann", age: 3), "named(\"ann\", age: 3)"),
      (Array(1...20), "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, … 4 more]"),
      (Duration.seconds(1), "1.0 seconds"), (Nothing(), "Nothing()"),
      (Optional(Nothing()) as Any, "Nothing()"), (UInt8(3), "3"), (1.5, "1.5"),
    ]
    for (value, words) in shown {
      XCTAssertEqual(Describer().describe(value), words)
    }
    XCTAssertEqual(Describer().describe(String(repeating: "a", count: 500)).count, 200)
  }

  func test_namesOfSecrets() {
    let names = SecretNames()
    for name in [
      "password", "userPassword", "access_token", "accessToken", "APIKey", "apikey", "Token",
      "refreshTokens", "clientSecret", "PIN", "JWT", "mypassword", "sessionID",
    ] {
      XCTAssertTrue(names.contains(name), name)
    }
    for name in ["name", "tokenizer", "spinning", "pinned", "key", "secretary", "isPassable"] {
      XCTAssertFalse(names.contains(name), name)
    }
  }
}

private final class Form: Sendable {
  private let typed = Channel<String>()
  private let secret: Inlet<String>
  var password: Inlet<String> { typed.inlet.contramap { $0 } }
  var nickname: Inlet<String> { typed.inlet.contramap { $0 } }
  /// A lane of its own, with a name other than the property's.
  var alias: Inlet<String> { secret }
  var name: Inlet<String> { typed.inlet.contramap { $0 } }

  init() {
    secret = typed.inlet.contramap { $0 }
  }
}

private final class SignUp: Sendable {
  let password = CurrentValue("")
  let nickname = CurrentValue("")
}
