import AsyncChannels
import AsyncViewModels
import Synchronization

/// Row: test double. A manager that publishes what a test tells it to, and remembers what it was sent.
final class SpyMemberManager: MemberManager {
  /// Public on purpose: the test is the owner.
  let results = Channel<Result<[Member], MemberFailure>>(replaying: 1)
  private let sent = Locked<[String]>([])

  var commands: [String] { sent.withLock { $0 } }

  var members: Outlet<Result<[Member], MemberFailure>> { results.outlet }
  var addMember: Inlet<String> { Inlet { [self] name in record("add \(name)") } }
  var removeMember: Inlet<Member> { Inlet { [self] member in record("remove \(member.id)") } }
  var resetMembers: Inlet<Void> { Inlet { [self] in record("reset") } }

  func run() async {}

  private func record(_ command: String) {
    sent.withLock { $0.append(command) }
  }
}

extension [Member] {
  static let annAndBob = [Member(id: 1, name: "Ann"), Member(id: 2, name: "Bob")]
}
