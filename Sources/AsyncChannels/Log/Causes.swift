import Synchronization

/// Knows which task is at work on which element. Called with no lock of a log held.
package protocol CauseFollower: AnyObject, Sendable {
  /// What the running task is at work on.
  var current: [Origin] { get }
  /// The running task works on these from now on, until it is forgotten.
  func took(_ origins: [Origin], from owner: ObjectIdentifier)
  func forget(_ owner: ObjectIdentifier)
  /// What the function sends has come through this inlet. Returns what the function does: whether the
  /// element was sent.
  func carry(_ element: Any, through inlet: MadeInlet, _ send: () -> Bool)
  /// A gate has refused an element. It belongs to the owner of one of these, or is followed itself.
  func refused(_ element: Any, near logs: [any Followed])
  /// A log was made. Another log's lock may be held.
  func made(_ log: any Followed, of elementType: Any.Type)
  /// A view model is about to run. Called on the main actor.
  func begins(_ viewModel: AnyObject)
}

/// An inlet that was made with a function, as observers know it.
package final class MadeInlet: Followed {
  /// Where it was made: the property that computes it, if one does.
  package let place: (function: StaticString, fileID: StaticString)?
  private let attached = Locked<[any LogObserver]>([])

  init(at place: (function: StaticString, fileID: StaticString)?) {
    self.place = place
  }

  package var observers: [any LogObserver] { attached.withLock { $0 } }

  package func attach(_ observer: any LogObserver) {
    attached.withLock { $0.append(observer) }
  }

  package func detach(_ observer: any LogObserver) {
    attached.withLock { $0.removeAll { $0 === observer } }
  }
}

/// Which task is at work on which element, as far as somebody in the program follows that. While nobody
/// does, this costs one load.
@usableFromInline
package enum Causes {
  private static let follower = Locked<(any CauseFollower)?>(nil)
  private static let isFollowed = Atomic(false)

  /// Relaxed: it only saves work. That a log is observed is known with the log's lock.
  @usableFromInline
  static var areFollowed: Bool { isFollowed.load(ordering: .relaxed) }

  package static func follow(by new: (any CauseFollower)?) {
    follower.withLock { follower in
      follower = new
      isFollowed.store(new != nil, ordering: .relaxed)
    }
  }

  package static var known: (any CauseFollower)? { areFollowed ? follower.withLock { $0 } : nil }

  package static var current: [Origin] { known?.current ?? [] }

  package static func took(_ origins: [Origin], from owner: ObjectIdentifier) {
    if !origins.isEmpty { known?.took(origins, from: owner) }
  }

  package static func forget(_ owner: ObjectIdentifier) { known?.forget(owner) }

  /// Tells what became of the elements that the running task is at work on.
  package static func note(of origins: [Origin] = current, _ event: (Int) -> LogEvent) {
    for origin in origins { origin.observer.note(event(origin.element))?() }
  }
}
