import Synchronization

/// What `observe` makes for a synchronous function on the main actor: the subscription, and the function that is
/// called with each element. It has no task and no stream; its actor serves it with others (`Line`).
///
/// It has its cursor to itself (`Waiter.onlyTicket`), and touches it on the main actor only. The doorbell that
/// waits in the log's queue keeps it, and so does the token. It lets go of the subscription and of the function
/// when the elements have ended, or when it was cancelled: in a turn of the main actor, since the function may
/// have caught what belongs there.
@MainActor
final class Listener<Element: Sendable>: Listening {
  /// What it listens to, until it is over.
  private var heard: (feed: Feed<Element>, ticket: UInt64)?
  private var body: (@MainActor @Sendable (Element) -> Void)?
  /// Made when it first sleeps.
  private var bell: Doorbell?

  nonisolated init(
    to feed: Feed<Element>, _ body: @escaping @MainActor @Sendable (Element) -> Void
  ) {
    let ticket =
      if case .cursor = feed { Waiter.onlyTicket } else { feed.waiter.makeTicket() }
    heard = (feed, ticket)
    self.body = body
    super.init()
  }

  /// Calls the function with the first element, if there is one, and no more: called by `observe`, which has
  /// not returned. It is not the task's: so whether that is cancelled makes no difference.
  func serveFirst() {
    guard let (feed, ticket) = heard else { return }
    _ = feed.waiter.look(as: ticket)
    // A closure of a derived outlet may skip all that others send.
    var spell = Spell()
    search: while !spell.isUsedUp() {
      switch feed.take(.evenIfCancelled, as: ticket) {
      case .skipped: continue
      case .nothing: break search
      case .element(let element):
        body?(element)
        break search
      }
    }
    if hasMore() { standInLine() }
  }

  override func serve(_ spell: inout Spell) -> Bool {
    guard let (feed, ticket) = heard else { return false }
    if phase.load(ordering: .acquiring) == .listens { feed.waiter.wakeListener(as: ticket) }
    while phase.load(ordering: .acquiring) == .listens {
      switch take(from: feed, as: ticket) {
      case .element(let element): body?(element)
      case .skipped: break
      case .nothing:
        if hasMore() { continue }
        return false
      }
      if spell.isUsedUp(), phase.load(ordering: .acquiring) == .listens { return hasMore() }
    }
    end()
    return false
  }

  /// What is known to be there comes without a lock.
  private func take(from feed: Feed<Element>, as ticket: UInt64) -> Feed<Element>.Taken {
    switch feed {
    case .cursor(let cursor):
      if let element = cursor.take(as: ticket) { return .element(element) }
      if let element = cursor.takeSeen(as: ticket) { return .element(element) }
      return .nothing
    case .derived:
      if let element = feed.takeDerived(as: ticket) { return .element(element) }
      return feed.take(.next, as: ticket)
    }
  }

  /// Asks for more: what it took is worked on. If there is nothing, it sleeps until it is rung, or it is over.
  private func hasMore() -> Bool {
    guard let (feed, ticket) = heard else { return false }
    let bell = bell ?? Doorbell(of: self, asSubscriber: feed.waiter.isSubscriber)
    self.bell = bell
    switch feed.waiter.look(as: ticket, orJoinWith: bell) {
    case .readable: return true
    case .nothing: return false
    case .finished, .displaced:
      end()
      return false
    }
  }

  /// What it lets go of is destroyed with no lock held.
  private func end() {
    let old = (exchange(&heard, with: nil), exchange(&body, with: nil), exchange(&bell, with: nil))
    guard let (feed, ticket) = old.0 else { return }
    if phase.exchange(.over, ordering: .acquiringAndReleasing) == .cancelled {
      if let bell = old.2 { feed.waiter.leave(bell, as: ticket) }
      feed.waiter.note(.cancelled)
    }
    withExtendedLifetime(old) {}
  }
}
