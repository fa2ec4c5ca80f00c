// What the blocks of code take for granted: a view model that has everything, some values, and types by the
// names that the documents give them. A block's own declarations go before these.

public import AsyncChannelsRunning
public import AsyncViewModels

public typealias Credentials = AsyncViewModels.Credentials
public typealias Token = AsyncViewModels.Token
public typealias AuthError = AsyncViewModels.AuthError
public typealias Authenticator = AsyncViewModels.Authenticator
public typealias AuthViewModel = AsyncViewModels.AuthViewModel
public typealias AuthViewModelType = AsyncViewModels.AuthViewModelType
public typealias Member = AsyncViewModels.Member
public typealias MemberFailure = AsyncViewModels.MemberFailure
public typealias User = AsyncViewModels.User

public struct Hit: Sendable, Hashable, Identifiable {
  public let id: Int
}

public enum ScreenState: Sendable, Equatable {
  case isLoading
  case loaded
}

public enum Command: Sendable {
  case add(name: String)
  case remove(Member)
}

public struct Alert: Sendable {}

public struct Index: Sendable {
  public func search(_ query: String) async -> [Hit] { [] }
}

public struct StubAuthenticator: Authenticator {
  public init() {}
  public func authenticate(_ credentials: Credentials) async throws(AuthError) -> Token { Token("") }
}

public actor Thermometer {
  public nonisolated var temperature: Outlet<Double> { .never }
}

public let index = Index()
public let credentials = Credentials(username: "ann", password: "secret")
public let member = Member(id: 1, name: "Ann")
public let taps = Outlet<Credentials>.never
public let submissions = taps
public let thermometer = Thermometer()
public let commands = Channel<Command>()
public let results = Channel<Result<[Member], MemberFailure>>()
public let members: [Member] = []
public let manager: any MemberManager = DefaultMemberManager.shared

public func authenticate(_ credentials: Credentials) async -> Result<Token, AuthError> {
  .failure(.cancelled)
}

@MainActor public let viewModel = ExampleViewModel()
@MainActor public let summary = MembersSummaryViewModel()
@MainActor public let list = MembersViewModel()
@MainActor public var token: CancellationToken?

/// What an example's own code is a part of.
@MainActor
open class ExampleOwner {
  public var hits: [Hit] = []
  public let _query = Input<String>()

  public init() {}

  public func render<Value>(_ value: Value) {}
}

@MainActor
public final class ExampleViewModel: ViewModel {
  @Input public var signIn: Inlet<Credentials>
  @Output public var signInResult: Outlet<Result<Token, AuthError>>
  @CurrentValue public var state = ScreenState.isLoading
  @CurrentValue public private(set) var count = 0
  public var memberCount: StateOutlet<Int> { $count }
  public let text = SplitBinding(reading: .constant(""), writing: Inlet<String> { _ in })

  public func run() async {}
}

@MainActor
public final class RowViewModel: ViewModel {
  public func run() async {}
}

public struct StubLoader: UserLoader {
  public func user(_ id: User.ID) async throws -> User { User(id: id, name: "Ann") }
}

public let loader = StubLoader()
