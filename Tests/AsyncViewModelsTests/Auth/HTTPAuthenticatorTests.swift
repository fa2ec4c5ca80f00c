import AsyncViewModels
import Foundation
import TestSupport
import XCTest

/// Against a real server process.
final class HTTPAuthenticatorTests: XCTestCase {
  func test_itPostsTheCredentialsAsJSONAndGetsTheToken() async throws {
    let server = try await server()
    let result = try await signIn(server.url("token"))
    XCTAssertEqual(result, .success(Token("abc")))
    let request = try await server.nextEvent()
    XCTAssertEqual(request.method, "POST")
    XCTAssertEqual(request.path, "/token")
    XCTAssertEqual(request.headers?["content-type"], "application/json")
    XCTAssertEqual(request.headers?["accept"], "application/json")
    XCTAssertNil(request.headers?["cookie"])
    let body = try JSONDecoder().decode(
      [String: String].self, from: Data((request.body ?? "").utf8))
    XCTAssertEqual(body, ["username": credentials.username, "password": credentials.password])
    // One request for each sign-in: the next event is the next sign-in's.
    _ = try await signIn(server.url("token/2"))
    let next = try await server.nextEvent()
    XCTAssertEqual(next.path, "/token/2")
  }

  func test_401MeansWrongCredentialsAndAnyOtherStatusIsUnexpected() async throws {
    let server = try await server()
    for (path, error) in [
      ("status/401", AuthError.wrongCredentials), ("challenge", .wrongCredentials),
      ("status/500", .unexpectedStatus(500)),
      ("status/201", .unexpectedStatus(201)), ("status/404", .unexpectedStatus(404)),
      ("status/403", .unexpectedStatus(403)),
    ] {
      let result = try await signIn(server.url(path))
      XCTAssertEqual(result, .failure(error), path)
    }
  }

  /// The answer is the status. What becomes of the body changes nothing, and is not waited for.
  func test_anyStatusBut200IsTheAnswerAsSoonAsItsHeadIsThere() async throws {
    let server = try await server()
    for (path, error) in [
      ("stalls/401", AuthError.wrongCredentials), ("stalls/401/challenge", .wrongCredentials),
      ("breaks/401", .wrongCredentials), ("breaks/401/challenge", .wrongCredentials),
      ("refusal/\(3 << 20)", .wrongCredentials), ("stalls/500", .unexpectedStatus(500)),
    ] {
      let result = try await signIn(server.url(path))
      XCTAssertEqual(result, .failure(error), path)
    }
  }

  func test_anInterimAnswerIsNotTheAnswer() async throws {
    let server = try await server()
    for path in ["interim/100", "interim/102", "interim/103", "interim/100/102/103/103"] {
      let result = try await signIn(server.url(path))
      XCTAssertEqual(result, .success(Token("abc")), path)
    }
    for path in ["interim/102/nothing", "interim/103/103/nothing"] {
      let result = try await signIn(server.url(path))
      assertUnreachable(result, path)
    }
  }

  func test_redirectionsToNowhereAreUnexpected() async throws {
    let server = try await server()
    for status in [301, 302, 303, 307, 308] {
      let result = try await signIn(server.url("status/\(status)"))
      XCTAssertEqual(result, .failure(.unexpectedStatus(status)))
    }
  }

  func test_redirectionsAreNotFollowedSinceTheyWouldCarryThePasswordElsewhere() async throws {
    let server = try await server()
    for status in [301, 302, 303, 307, 308] {
      let result = try await signIn(server.url("redirect/\(status)"))
      XCTAssertEqual(result, .failure(.unexpectedStatus(status)))
      let request = try await server.nextEvent()
      XCTAssertEqual(request.path, "/redirect/\(status)", "nothing else was asked for")
    }
  }

  func test_anAnswerWithoutATokenIsABadAnswer() async throws {
    let server = try await server()
    for body in [
      "", "{", "null", "[]", "{}", "{\"token\": null}", "{\"token\": 7}", "{\"Token\": \"a\"}",
      "\"abc\"", "<html></html>", "{\"token\": \"a\"", "{\"token\": [\"a\"]}", "\u{0}",
    ] {
      let escaped = try XCTUnwrap(body.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
      let result = try await signIn(server.url("body/\(escaped)"))
      XCTAssertEqual(
        result, .failure(.badAnswer("it is not JSON with a \"token\".")), "for \(body)")
    }
    let more = try await signIn(server.url("body/%7B%22a%22:1,%22token%22:%22%C3%A9%22%7D"))
    XCTAssertEqual(more, .success(Token("é")), "what else the answer says does not matter")
  }

  func test_anAnswerOfUpToTheLimitIsReadAndOneByteMoreRefused() async throws {
    let server = try await server()
    let limit = HTTPAuthenticator.answerLimit
    XCTAssertEqual(limit, 1_048_576)
    let atLimit = try await signIn(server.url("size/\(limit)"))
    XCTAssertEqual(atLimit, .success(Token("abc")))
    let larger = try await signIn(server.url("size/\(limit + 1)"))
    XCTAssertEqual(larger, .failure(.badAnswer("it is larger than 1048576 bytes.")))
  }

  func test_anAnswerThatDoesNotComeInTimeTimesOut() async throws {
    let server = try await server()
    for path in ["silent", "stalls/200"] {
      let authenticator = HTTPAuthenticator(url: server.url(path), deadline: .milliseconds(300))
      let result = try await signIn(with: authenticator)
      XCTAssertEqual(result, .failure(.timedOut(after: .milliseconds(300))), path)
      try await expectGone(from: server)
    }
  }

  func test_aDeadlineThatIsNoTimeAtAllTimesOutAndNothingIsSent() async throws {
    let server = try await server()
    for deadline in [Duration.zero, .seconds(-1), .seconds(Int64.min)] {
      for _ in 0..<20 {
        let authenticator = HTTPAuthenticator(url: server.url("token"), deadline: deadline)
        let result = try await signIn(with: authenticator)
        XCTAssertEqual(result, .failure(.timedOut(after: deadline)))
      }
    }
    _ = try await signIn(server.url("token/after"))
    let request = try await server.nextEvent()
    XCTAssertEqual(request.path, "/token/after")
  }

  func test_aDeadlineMayBeAsLongAsTimeGoes() async throws {
    let server = try await server()
    for seconds in [Int64.max, 1 << 40] {
      let authenticator = HTTPAuthenticator(url: server.url("token"), deadline: .seconds(seconds))
      let result = try await signIn(with: authenticator)
      XCTAssertEqual(result, .success(Token("abc")))
    }
  }

  func test_aConnectionThatBreaksIsUnreachable() async throws {
    let server = try await server()
    for path in ["close", "breaks/200"] {
      let result = try await signIn(server.url(path))
      assertUnreachable(result, path)
    }
    let url = server.url("token")
    server.stop()
    let result = try await signIn(url)
    assertUnreachable(result, "nobody listens there any more")
  }

  func test_anAnswerThatIsNotHTTPIsABadAnswer() async throws {
    let server = try await server()
    let result = try await signIn(server.url("garbage"))
    XCTAssertEqual(result, .failure(.badAnswer("it is not HTTP.")))
  }

  func test_anAddressThatIsNoWebServersIsRefusedBeforeAnythingIsSent() async throws {
    for address in [
      "file:///etc/passwd", "ftp://127.0.0.1/", "data:,%7B%22token%22:%22a%22%7D", "token",
      "http:///token", "mailto:a@b.c", "http:token",
    ] {
      let result = try await signIn(try XCTUnwrap(URL(string: address)))
      assertUnreachable(result, address)
    }
  }

  func test_anAddressThatCannotBeUsedIsSaidInASentence() async throws {
    setenv("no_proxy", "127.0.0.1,::1", 1)
    for address in ["http://[::1]:1/", "http://127.0.0.1:99999/"] {
      let result = try await signIn(try XCTUnwrap(URL(string: address)))
      assertUnreachable(result, address)
      XCTAssertFalse("\(result)".contains("NSURLErrorDomain"), "\(result)")
    }
  }

  func test_cancellingTheTaskEndsTheRequest() async throws {
    for path in ["silent", "stalls/200"] {
      let server = try await server()
      let authenticator = HTTPAuthenticator(url: server.url(path))
      let task = Task { await authenticator.attempt(credentials) }
      let request = try await server.nextEvent()
      XCTAssertEqual(request.event, "request")
      task.cancel()
      let result = try await within { await task.value }
      XCTAssertEqual(result, .failure(.cancelled), path)
    }
  }

  private func expectGone(from server: LoopbackServer) async throws {
    let events = [try await server.nextEvent().event, try await server.nextEvent().event]
    XCTAssertEqual(events, ["request", "gone"])
  }

  private func assertUnreachable(
    _ result: Result<Token, AuthError>, _ message: String, line: UInt = #line
  ) {
    guard case .failure(.unreachable(let reason)) = result else {
      return XCTFail("\(message): \(result)", line: line)
    }
    XCTAssertFalse(reason.isEmpty, message, line: line)
  }
}

private let credentials = Credentials(username: "ian \"k\" ☕️", password: "pa\\ss\nword")

private func signIn(_ url: URL) async throws -> Result<Token, AuthError> {
  try await signIn(with: HTTPAuthenticator(url: url))
}

private func signIn(
  with authenticator: HTTPAuthenticator
) async throws -> Result<Token, AuthError> {
  try await within { await authenticator.attempt(credentials) }
}
