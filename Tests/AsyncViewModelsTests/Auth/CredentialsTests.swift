import AsyncChannels
import AsyncChannelsRecording
import AsyncViewModels
import XCTest

/// What printing a value shows, in each way of printing it.
func textsShowing(_ value: Any) -> [String] {
  var dumped = ""
  dump(value, to: &dumped)
  var printed = ""
  print(value, to: &printed)
  var debugPrinted = ""
  debugPrint(value, to: &debugPrinted)
  return [
    dumped, printed, debugPrinted, "\(value)", String(describing: value), String(reflecting: value),
  ]
}

final class CredentialsTests: XCTestCase {
  private enum Input {
    case signIn(Credentials)
  }

  private struct Form {
    var credentials: Credentials
    var copies: [Credentials]
  }

  func test_nothingThatIsPrintedOfThemShowsThePassword() {
    let secret = "super_secret_password"
    let credentials = Credentials(username: "iankeen", password: secret)
    let form = Form(credentials: credentials, copies: [credentials])
    let holders: [Any] = [
      credentials, Optional(credentials) as Any, [credentials], ["key": credentials],
      [credentials: 1], Input.signIn(credentials), form, (credentials, 1),
      Result<Credentials, AuthError>.success(credentials),
    ]
    for holder in holders {
      for text in textsShowing(holder) {
        XCTAssertFalse(text.contains("secret"), text)
        XCTAssertTrue(text.contains("iankeen"), "it says whose they are: \(text)")
      }
    }
    XCTAssertFalse(credentials.debugDescription.contains(secret))
    XCTAssertFalse(leaves(of: form).contains { $0.contains("secret") })
  }

  func test_C88a_aRecordingThatHidesTheUserNameShowsNeither() {
    let channel = Channel<Credentials>()
    for hiding in [[], ["username"]] {
      let recording = Recording(hiding: hiding)
      recording.add(channel, as: "attempts")
      channel.send(Credentials(username: "ann", password: "xyzzy"))
      let shown = hiding.isEmpty ? "username: \"ann\", password: …" : "…"
      XCTAssertEqual(recording.flow.events.map(\.text), ["Credentials(\(shown))"])
    }
  }

  func test_theyAreEqualOnlyWithTheSamePassword() {
    let right = Credentials(username: "a", password: "b")
    XCTAssertNotEqual(right, Credentials(username: "a", password: "c"))
    XCTAssertEqual(Set([right, right, Credentials(username: "a", password: "c")]).count, 2)
  }

  /// Everything that reflection finds, all the way down.
  private func leaves(of value: Any) -> [String] {
    let children = Mirror(reflecting: value).children
    guard !children.isEmpty else { return ["\(value)"] }
    return children.flatMap { leaves(of: $0.value) }
  }
}
