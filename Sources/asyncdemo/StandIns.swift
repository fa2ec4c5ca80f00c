import AsyncChannels
import AsyncViewModels

/// Accepts everybody, and counts.
struct CountingAuthenticator: Authenticator {
  let requests: CurrentValue<Int>

  func authenticate(_ credentials: Credentials) async throws(AuthError) -> Token {
    requests.update { $0 += 1 }
    return Token("token")
  }
}

/// Accepts everybody, and has no channel that a recording would find.
struct WillingAuthenticator: Authenticator {
  func authenticate(_ credentials: Credentials) async throws(AuthError) -> Token {
    Token("token")
  }
}

/// Publishes what its owner wants, and takes no commands.
struct StandInManager: MemberManager {
  let results = Channel<Result<[Member], MemberFailure>>(replaying: 1)

  let addMember = Inlet<String> { _ in }
  let removeMember = Inlet<Member> { _ in }
  let resetMembers = Inlet<Void> {}
  var members: Outlet<Result<[Member], MemberFailure>> { results.outlet }

  func run() async {}
}
