public import AsyncChannels
public import Observation

/// The form for a new member.
@MainActor
public final class NewMemberViewModel: ViewModel, Observable {
  /// What is typed into the form.
  @CurrentValue public var name = ""

  /// Why the last command failed; nil after the next that succeeds. Written once for each result
  /// that the manager publishes.
  @CurrentValue public private(set) var failure: MemberFailure?

  private let manager: any MemberManager
  /// Only the newest result counts, so this holds at most one however long nothing runs.
  private let results: Subscription<Result<[Member], MemberFailure>>

  public init(manager: any MemberManager = DefaultMemberManager.shared) {
    self.manager = manager
    results = manager.members.subscribe(buffering: .bufferingNewest(1))
  }

  /// Adds a member with the name as it is when this is sent.
  public var add: Inlet<Void> {
    let name = _name
    return manager.addMember.contramap { name.value }
  }

  public func run() async {
    for await result in results {
      switch result {
      case .success: failure = nil
      case .failure(let failure): self.failure = failure
      }
    }
  }
}
