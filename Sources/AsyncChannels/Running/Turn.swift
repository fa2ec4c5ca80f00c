import Synchronization

/// One element that a call of `answer` has taken, until its answer is published or nobody wants it.
///
/// The part that does not depend on the element, so that deciding about it costs no look at a type; `Turn`
/// is the rest.
///
/// `@unchecked Sendable`: its phase, its place and neighbours, and whether it is late, are touched under the lock of
/// `Turns` only, and its overlap by the loop that took it; the rest is atomic, constant, or has a lock.
class TurnBase: @unchecked Sendable {
  enum Phase {
    /// Taken, while its work was not begun: if the call is cancelled, the next consumer gets it.
    case held
    case begun
    /// Answered, superseded, ignored, cancelled or given back.
    case over
  }

  /// The elements that are worked on, in recordings. Made by the task that took them.
  final let origins = Causes.current
  @exclusivity(unchecked) final var phase = Phase.held
  /// Whether others were worked on when it was taken, or it came before their last answer was published.
  @exclusivity(unchecked) final var isLate = false
  /// Whether nothing more is done for it.
  final let isDone = Atomic(false)
  /// What its element says, if each has an overlap of its own.
  final var overlap = Overlap.oneAtATime
  /// Its place in `CurrentTurns`.
  fileprivate final var index = 0
  /// Its neighbours in `HeldTurns`.
  fileprivate final var next: TurnBase?
  fileprivate final unowned(unsafe) var previous: TurnBase?
  private final let task = Locked<Task<Void, Never>?>(nil)

  /// The element, as a subscription takes it back.
  var returned: any Sendable { preconditionFailure("A turn has an element.") }

  /// What the running task sends from now on is caused by this turn's element.
  final func becomeCause() { Causes.took(origins, from: ObjectIdentifier(self)) }

  final func endAsCause() { Causes.forget(ObjectIdentifier(self)) }

  /// To be called when nothing more is done for it.
  final func finish() {
    endAsCause()
    isDone.store(true, ordering: .releasing)
  }

  final func noteSuperseded() { Causes.note(of: origins) { .superseded($0) } }

  /// Notes that the task, which is no child task, does its work.
  final func isWorkedOn(in task: Task<Void, Never>) { self.task.withLock { $0 = task } }

  final func cancel() { task.withLock { $0 }?.cancel() }

  final func untilDone() async { await task.withLock { $0 }?.value }
}

/// See `TurnBase`.
final class Turn<Element: Sendable>: TurnBase, @unchecked Sendable {
  let element: Element

  init(_ element: Element) {
    self.element = element
  }

  override var returned: any Sendable { Returned(element: element, origins: origins) }
}

/// Turns that are held, in the order in which they were taken: a linked list, whose links the lock of `Turns`
/// guards.
struct HeldTurns {
  private var first: TurnBase?
  private unowned(unsafe) var last: TurnBase?

  mutating func append(_ turn: TurnBase) {
    turn.previous = last
    if let last { last.next = turn } else { first = turn }
    last = turn
  }

  mutating func remove(_ turn: TurnBase) {
    let next = turn.next.take()
    if let next { next.previous = turn.previous } else { last = turn.previous }
    if let previous = turn.previous { previous.next = next } else { first = next }
    turn.previous = nil
  }

  /// Takes them out; they are over.
  mutating func takeAll() -> [TurnBase] {
    var turns: [TurnBase] = []
    while let turn = first {
      remove(turn)
      turn.phase = .over
      turns.append(turn)
    }
    return turns
  }
}

/// Turns whose work was begun, without an order, so that each is removed in one step.
struct CurrentTurns {
  private(set) var all: [TurnBase] = []

  mutating func append(_ turn: TurnBase) {
    turn.index = all.count
    all.append(turn)
  }

  /// Returns it, since it may be destroyed, with its element; nil if it is not there any more.
  mutating func remove(_ turn: TurnBase) -> TurnBase? {
    let index = turn.index
    guard index < all.count, all[index] === turn else { return nil }
    all.swapAt(index, all.count - 1)
    all[index].index = index
    return all.removeLast()
  }

  mutating func takeAll() -> [TurnBase] { exchange(&all, with: []) }
}

/// What comes of a take. One that is skipped was filtered out.
typealias TakenTurn = Feed<TurnBase>.Taken
