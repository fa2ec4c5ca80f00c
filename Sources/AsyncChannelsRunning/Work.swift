import AsyncChannels
import Synchronization

/// What becomes of an element that a call of `answer` has taken.
enum Fate {
  case answered, superseded, ignored, abandoned
}

/// One element that a call of `answer` has taken, until nothing more is done for it.
///
/// The part that does not depend on the element, so that deciding about it costs no look at a type; `Work`
/// is the rest.
///
/// `@unchecked Sendable`: its fate, its number, its index, and whether it is late, are touched under the lock of `Fates` only,
/// and what the loop notes of it by that loop. `endedCancelled` is written by the work's task before it hands on the answer
/// under a lock, and whoever publishes the answer reads it. The rest is constant or has a lock.
class AnyWork: @unchecked Sendable {
  /// The elements that are worked on, in recordings. Made by the task that took them.
  final let origins = Causes.current
  /// Nil as long as its answer may be published.
  @exclusivity(unchecked) final var fate: Fate?
  /// Whether others were worked on when it was taken.
  @exclusivity(unchecked) final var isLate = false
  /// The how manieth that has come it is (`LateElements`).
  @exclusivity(unchecked) final var arrival = 0
  /// The loop's: what its element says, if each has an overlap of its own.
  @exclusivity(unchecked) final var overlap = Overlap.oneAtATime
  /// The loop's: the others that it concerns; nil for all.
  @exclusivity(unchecked) final var key: AnswerKey?
  /// One at a time by key: the one that it waits for. Noted by the loop, and then its task's.
  @exclusivity(unchecked) final var previous: AnyWork?
  /// The loop's: whether it has left the element to a task, which will finish it.
  @exclusivity(unchecked) final var isBegun = false
  /// Whether its task was cancelled when its work ended. Noted by that task.
  @exclusivity(unchecked) final var endedCancelled = false
  /// The how manieth it is of its call.
  @exclusivity(unchecked) final var number = 0
  /// Its place in `Works`.
  @exclusivity(unchecked) fileprivate final var index = 0
  private final let task = Locked<Task<Void, Never>?>(nil)

  /// What the running task sends from now on is caused by this element.
  final func becomeCause() { Causes.took(origins, from: ObjectIdentifier(self)) }

  final func endAsCause() { Causes.forget(ObjectIdentifier(self)) }

  final func note(_ event: (Int) -> LogEvent) { Causes.note(of: origins, event) }

  /// Notes that a task does its work that is no child task.
  final func isDone(by task: Task<Void, Never>) { self.task.withLock { $0 = task } }

  final func cancel() { task.withLock { $0 }?.cancel() }

  /// Waits for the one before it, of those with its key.
  final func untilItsTurn() async {
    await previous?.untilDone()
    // Or a chain of all that were ever worked on would be kept.
    previous = nil
  }

  final func untilDone() async { await task.withLock { $0 }?.value }
}

/// See `AnyWork`.
final class Work<Element: Sendable>: AnyWork, @unchecked Sendable {
  let element: Element

  init(_ element: Element) { self.element = element }
}

/// Works without an order, so that each is removed in one step.
struct Works {
  private(set) var all: [AnyWork] = []

  mutating func append(_ work: AnyWork) {
    work.index = all.count
    all.append(work)
  }

  /// False if it is not there any more.
  mutating func remove(_ work: AnyWork) -> Bool {
    let index = work.index
    guard index < all.count, all[index] === work else { return false }
    all.swapAt(index, all.count - 1)
    all[index].index = index
    all.removeLast()
    return true
  }
}

/// What comes of a take. An element that is skipped was filtered out.
enum TakenWork {
  case work(AnyWork), ignored(AnyWork), skipped, nothing
}
