import AsyncChannels
import AsyncChannelsTesting
import AsyncViewModels
import XCTest

final class TokenTests: XCTestCase {
  private let token = Token("hidden")

  func test_nothingThatIsPrintedOfItShowsItsValue() {
    let holders: [Any] = [
      token, Optional(token) as Any, [token], ["key": token], [token: 1], (token, 1),
      Result<Token, AuthError>.success(token),
    ]
    for holder in holders {
      for text in textsShowing(holder) {
        XCTAssertFalse(text.contains("hidden"), text)
        XCTAssertTrue(text.contains("Token"), text)
      }
    }
    XCTAssertEqual(Mirror(reflecting: token).children.count, 0)
  }

  func test_C52h_aProbesSentenceDoesNotShowIt() async throws {
    let probe = Probe(Outlet.just(Result<Token, AuthError>.success(token)))
    do throws(ProbeFailure) {
      try await probe.expect(.success(Token("expected")), within: .zero)
      XCTFail("nothing was thrown")
    } catch {
      let sentence = "Expected success(Token(…)), but another success(Token(…)) came within"
      XCTAssertTrue(error.description.contains(sentence), "\(error)")
    }
  }

  func test_itIsEqualOnlyWithTheSameValue() {
    XCTAssertEqual(token, Token("hidden"))
    XCTAssertNotEqual(token, Token("other"))
  }
}
