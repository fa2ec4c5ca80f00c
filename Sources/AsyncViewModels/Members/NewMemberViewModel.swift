public import AsyncChannelsRunning
public import Observation

/// The form for a new member: adds members to a manager, shows why one was refused, and is empty again when
/// one was added.
@MainActor
public final class NewMemberViewModel: ViewModel, Observable {
  /// What is typed into the form. It becomes empty when the name that was sent is in the list, unless
  /// another was typed by then.
  @CurrentValue public var name = ""

  /// Output: why the last command failed; nil after the next that succeeds.
  public var failure: StateOutlet<MemberFailure?> { $lastFailure }

  @CurrentValue private var lastFailure: MemberFailure?
  private let manager: any MemberManager
  /// Only the newest result counts, so this holds at most one however long nothing runs.
  private let results: Subscription<Result<[Member], MemberFailure>>
  /// The name that was sent last, until it is in the list.
  private let pending = PendingName()
  private var members: [Member] = []

  /// Makes a form that adds to a manager's members.
  public init(manager: any MemberManager = DefaultMemberManager.shared) {
    self.manager = manager
    results = manager.members.subscribe(buffering: .bufferingNewest(1))
  }

  /// Input: adds a member with the name as it is when this is sent.
  public var add: Inlet<Void> {
    .forwarding { [weak name = _name, pending, addMember = manager.addMember] _ in
      guard let name = name?.value else { return .finished(()) }
      // Before it is sent: the list may be there before this goes on.
      pending.name.withLock { $0 = name }
      guard case .sent(let subscribers) = addMember.send(name) else { return .finished(()) }
      return .sent(subscribers: subscribers)
    }
  }

  /// Follows what becomes of the additions, until its task is cancelled.
  public func run() async {
    for await result in results {
      switch result {
      case .success(let members):
        clear(ifAddedTo: members)
        lastFailure = nil
      case .failure(let failure): lastFailure = failure
      }
    }
  }

  /// Of a name that is in the list already, the new one has an id that was not there.
  private func clear(ifAddedTo new: [Member]) {
    let known = exchange(&members, with: new)
    guard let sent = pending.name.withLock({ $0 }),
      new.contains(where: { $0.name == sent && !known.contains($0) })
    else { return }
    // Unless another was sent meanwhile.
    pending.name.withLock { if $0 == sent { $0 = nil } }
    if name == sent { name = "" }
  }
}

private final class PendingName: Sendable {
  let name = Locked<String?>(nil)
}
