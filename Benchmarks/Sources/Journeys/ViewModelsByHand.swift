internal import AsyncChannelsRunning
internal import AsyncViewModels
internal import Observation

/// `AuthViewModel` without this package.
@MainActor @Observable
final class AuthByHand {
  /// To read, as Observation sees it. To follow: `signingIn`.
  private(set) var isSigningIn = false
  @ObservationIgnored let signingIn = OutputByHand<Bool>(isReplaying: true)
  @ObservationIgnored let signIn = InputByHand<Credentials>()
  @ObservationIgnored let results = OutputByHand<Result<Token, AuthError>>()
  @ObservationIgnored private let authenticator: any Authenticator
  @ObservationIgnored private let overlap: Overlap
  /// Shared by all calls of `run()`, of which two may overlap.
  @ObservationIgnored private lazy var loop = LoopByHand(overlap, signIn) { [authenticator] in
    await Self.attempt($0, by: authenticator)
  } reporting: { [unowned self] in
    isSigningIn = $0
    signingIn.send($0)
  } publish: { [results] in
    results.send($0)
  }

  init(authenticator: any Authenticator, overlap: Overlap) {
    self.authenticator = authenticator
    self.overlap = overlap
    signingIn.send(false)
  }

  func run() async {
    await loop.run()
  }

  private nonisolated static func attempt(
    _ credentials: Credentials, by authenticator: any Authenticator
  ) async -> Result<Token, AuthError> {
    do throws(AuthError) {
      return .success(try await authenticator.authenticate(credentials))
    } catch {
      return .failure(error)
    }
  }
}

/// `DefaultMemberManager` without this package.
actor MembersByHand {
  nonisolated let members = OutputByHand<Result<[Member], MemberFailure>>(isReplaying: true)

  private enum Command {
    case add(name: String), remove(Member), reset
  }

  private let commands = InputByHand<Command>()
  private var roster: [Member] = []
  private var lastID = 0

  init() {
    members.send(.success([]))
  }

  nonisolated func add(_ name: String) { commands.send(.add(name: name)) }
  nonisolated func remove(_ member: Member) { commands.send(.remove(member)) }
  nonisolated func reset() { commands.send(.reset) }

  func run() async {
    let (number, rings) = commands.listen()
    for await _ in rings {
      while let command = commands.take(for: number) { carryOut(command) }
    }
  }

  private func carryOut(_ command: Command) {
    switch command {
    case .add(let name):
      guard Member.isValid(name: name) else {
        return members.send(.failure(.invalidName), isReplayed: false)
      }
      lastID += 1
      roster.append(Member(id: lastID, name: name))
    case .remove(let member):
      guard let index = roster.firstIndex(where: { $0.id == member.id }) else { return }
      roster.remove(at: index)
    case .reset:
      roster.removeAll()
    }
    members.send(.success(roster))
  }
}

/// `MembersSummaryViewModel` without this package.
@MainActor @Observable
final class SummaryByHand {
  /// To read, as Observation sees it. To follow: `counts`.
  private(set) var memberCount = 0
  @ObservationIgnored let counts = OutputByHand<Int>(isReplaying: true)
  @ObservationIgnored private let manager: MembersByHand

  init(manager: MembersByHand) {
    self.manager = manager
    counts.send(0)
  }

  func run() async {
    for await case .success(let members) in manager.members.subscribe() {
      memberCount = members.count
      counts.send(members.count)
    }
  }
}
