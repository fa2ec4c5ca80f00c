import AsyncViewModels
import TestSupport
import XCTest

extension XCTestCase {
  /// A server to sign in at, or no test where there can be none.
  func server() async throws -> LoopbackServer {
    guard let server = try await LoopbackServer.start() else {
      throw XCTSkip("There is no python3 here, so there is no server to sign in at.")
    }
    return server
  }
}

extension HTTPAuthenticator {
  /// What becomes of a sign-in, as a value.
  func attempt(_ credentials: Credentials = .of("ann")) async -> Result<Token, AuthError> {
    do throws(AuthError) {
      return .success(try await authenticate(credentials))
    } catch {
      return .failure(error)
    }
  }
}

extension Result {
  var error: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}
