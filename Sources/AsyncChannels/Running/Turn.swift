import Synchronization

/// One element's turn: it ends once, answered or superseded.
final class Turn: Sendable {
  private let hasEnded = Atomic(false)
  /// Whether its answer is published, so that its task has nothing more to do.
  let isDone = Atomic(false)
  /// The elements that are worked on, in recordings. Made by the task that took them.
  let origins = Causes.current

  /// True for the call that ends it, false for later ones.
  func end() -> Bool {
    !hasEnded.exchange(true, ordering: .relaxed)
  }

  /// What the running task sends from now on is caused by this turn's element.
  func adopt() { Causes.took(origins, from: ObjectIdentifier(self)) }

  func disown() { Causes.forget(ObjectIdentifier(self)) }

  var isOver: Bool { hasEnded.load(ordering: .relaxed) }
}

/// Things that come from several tasks and are handled one by one: the task that finds nobody
/// handling them goes on until none is left.
struct OneByOne<Thing> {
  private var waiting: [Thing] = []
  private var isBeingHandled = false

  /// What the caller is to handle; nil if another does that.
  mutating func begin(with thing: Thing) -> Thing? {
    guard !isBeingHandled else {
      waiting.append(thing)
      return nil
    }
    isBeingHandled = true
    return thing
  }

  /// What the caller is to handle next; nil if it is done.
  mutating func next() -> Thing? {
    isBeingHandled = !waiting.isEmpty
    return isBeingHandled ? waiting.removeFirst() : nil
  }
}
