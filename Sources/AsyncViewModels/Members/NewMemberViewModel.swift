public import AsyncChannels
public import Observation

/// Adds members to a manager, and shows what it says to that.
@MainActor
public final class NewMemberViewModel: NewMemberViewModelType, Observable {
  @CurrentValue public var name = ""
  @CurrentValue public private(set) var failure: MemberFailure?
  public var failureOutlet: Outlet<MemberFailure?> { $failure }

  private let manager: any MemberManager
  /// Only the newest result counts, so this holds at most one however long nothing runs.
  private let results: Subscription<Result<[Member], MemberFailure>>

  public init(manager: any MemberManager = DefaultMemberManager.shared) {
    self.manager = manager
    results = manager.members.subscribe(buffering: .bufferingNewest(1))
  }

  public var add: Inlet<Void> {
    .forwarding { [weak name = _name, addMember = manager.addMember] _ in
      guard let name, case .sent(let subscribers) = addMember.send(name.value) else {
        return .finished(())
      }
      return .sent(subscribers: subscribers)
    }
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
