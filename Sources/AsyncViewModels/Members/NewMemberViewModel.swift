public import AsyncChannels
public import Observation

/// The form for a new member: adds members to a manager, and shows why one was refused.
@MainActor
public final class NewMemberViewModel: ViewModel, Observable {
  /// What is typed into the form.
  @CurrentValue public var name = ""

  /// Output: why the last command failed; nil after the next that succeeds.
  public var failure: StateOutlet<MemberFailure?> { $lastFailure }

  @CurrentValue private var lastFailure: MemberFailure?
  private let manager: any MemberManager
  /// Only the newest result counts, so this holds at most one however long nothing runs.
  private let results: Subscription<Result<[Member], MemberFailure>>

  /// Makes a form that adds to a manager's members.
  public init(manager: any MemberManager = DefaultMemberManager.shared) {
    self.manager = manager
    results = manager.members.subscribe(buffering: .bufferingNewest(1))
  }

  /// Input: adds a member with the name as it is when this is sent.
  public var add: Inlet<Void> {
    .forwarding { [weak name = _name, addMember = manager.addMember] _ in
      guard let name, case .sent(let subscribers) = addMember.send(name.value) else {
        return .finished(())
      }
      return .sent(subscribers: subscribers)
    }
  }

  /// Follows what becomes of the additions, until its task is cancelled.
  public func run() async {
    for await result in results {
      switch result {
      case .success: lastFailure = nil
      case .failure(let failure): lastFailure = failure
      }
    }
  }
}
