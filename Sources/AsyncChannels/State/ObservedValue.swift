public import Observation
public import Synchronization

/// Tells Observation of a value's accesses and changes.
///
/// Not generic, and apart from the value: a key path into a generic class, and that class's
/// conformance, are looked up anew at each use.
///
/// **The gap.** Observation notes an access when a value is read, and installs the observer when
/// the tracking closure returns. A change that is told in between does not reach that observer: it
/// keeps the old value. Only another thread can write in that gap, or the closure itself, which
/// knows what it wrote. A closure on the main actor is synchronous, so a job that is enqueued there
/// after the write runs when the observer is installed. So after a write from another thread than
/// the readers', such a job tells again.
///
/// **Which observers the job tells.** One that was told in time, and has read again, must not be
/// told twice. So a write from another thread ends a *generation* of accesses, and the job tells
/// those of that generation only: each access is registered for its generation, and from the second
/// generation on for the value as well.
///
/// **Why nobody on the main actor keeps an old value.** Let a closure there have read an older
/// value than that of a write W from another thread.
/// - W sees that the value was read on another thread: see `noteChange`.
/// - W has stored its value before it makes a generation due, and the job takes what is due
///   (release, acquire). A closure that begins after the job therefore reads W's value. So this one
///   began before the job, and its observer is installed when the job runs.
/// - The job tells the closure's generation: W ends that one or a later one, since a closure that
///   belongs to the one after it reads W's value as well (release, acquire). If W ends a later one,
///   another write has ended the closure's, and a job of that write tells it; the step before holds
///   for that job, too.
///
/// There are as many generations as a word has bits, used in turn. So if there are more writes from
/// other threads than that before the job runs, it tells also observers that belong to a current
/// one.
///
/// **Told once.** Observation calls an observer twice if two threads tell it simultaneously. So the
/// job tells nobody while a writer does, and no writer while the job does: whoever comes second leaves it to the
/// other (`Telling`). What the job leaves, the last writer tells when it has told its own. What a writer leaves,
/// another job tells: a job that went on itself might never end beside a fast writer. All that is told
/// later reaches the observers that were installed when it was left, so the steps above hold.
/// Two writers on two threads do tell simultaneously, as with Observation itself.
@usableFromInline
final class ObservedValue: Observable, Sendable {
  /// Held by writers while they change the value.
  @usableFromInline let writers = WritersLock()
  private typealias Path = any KeyPath<ObservedValue, Void> & Sendable

  @usableFromInline static var nobody: UInt { 0 }
  private static var several: UInt { .max }
  /// Nobody has accessed it, and there are followers. No thread has this identifier.
  private static var onlyFollowers: UInt { 1 }

  /// The only thread that has ever accessed the value, or `nobody`, or `several`.
  ///
  /// That thread may have ended, and a new thread have its identifier: then the new one is the only
  /// thread that can be in a tracking closure.
  @usableFromInline let readers = Atomic(nobody)
  /// Counts the writes that came from another thread than the readers'.
  private let generation = Atomic<UInt64>(0)
  /// A bit for each generation that the pending job has to tell; zero if no job is pending.
  private let due = Atomic<UInt64>(0)

  private let registrar = ObservationRegistrar()

  private let telling = Telling()
  /// Relaxed is enough: a follower that waits for a publication has had the log's lock after it was added.
  private let isFollowed = Atomic(false)
  private let followers = Locked(Followers())

  private struct Followers {
    /// Their numbers ascend.
    var all: [StateFollower] = []
    var lastNumber = 0

    mutating func add(_ follower: StateFollower) {
      lastNumber += 1
      all.append(follower)
      all[all.count - 1].number = lastNumber
    }

    func after(_ number: Int) -> ArraySlice<StateFollower> { all.drop { $0.number <= number } }
  }

  // Each object has a registrar of its own, so the same paths serve all objects.
  private var value: Void { () }
  private subscript(generation: Int) -> Void { () }
  private static let valuePath: Path = \.value
  /// Apart from the others, since most values have no other generation.
  private static let firstGenerationPath: Path = \.[-1]
  /// The same, where a read finds it in one step.
  private let firstPath = firstGenerationPath
  private static let generationPaths: [Path] = (0..<UInt64.bitWidth).map { \.[$0] }

  /// To be called before the value is read.
  @usableFromInline
  func access() {
    let known = readers.load(ordering: .relaxed)
    if known != Self.several, known != CurrentThread.identifier { noteReader(after: known) }
    let current = generation.load(ordering: .acquiring)
    if current > 0 { return access(in: current) }
    // Most values have no other generation, and one path is enough.
    registrar.access(self, keyPath: firstPath)
  }

  /// To be called after the value has changed. Calls observers: no lock may be held.
  ///
  /// "Will set" is told together with "did set", after the store. An observer that reads as soon as
  /// it is told, as `Observations` may on another thread, would otherwise find the old value, and
  /// not be told again.
  ///
  /// Relaxed is enough for `readers`, here and in what this calls. Values are read and stored under
  /// one lock. A reader that had the lock before the writer, and so read the old value, had noted
  /// its thread before that, and the writer sees that; a reader that has the lock later reads the
  /// new value. (If values were read without the lock, a reader that has noted its thread and a
  /// writer that has stored would each need a sequentially consistent fence before they look at
  /// what the other did.)
  @inlinable
  func noteChange() {
    if readers.load(ordering: .relaxed) != Self.nobody { tellObservers() }
  }

  @usableFromInline
  func tellObservers() {
    if isFollowed.load(ordering: .relaxed) { tellFollowers() }
    let known = readers.load(ordering: .relaxed)
    if known == Self.onlyFollowers { return }
    let generation = generation.load(ordering: .relaxed)
    if known != CurrentThread.identifier {
      // Before observers are told: one that then reads again is of the next generation.
      let ended = self.generation.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue
      _ = tellAlone(upTo: ended)
      tellOnMainActor(ended)
    } else if generation == 0 {
      // All readers are on this thread: no observer is in the gap now, and there was no job.
      tell(upTo: generation)
    } else if !tellAlone(upTo: generation) {
      tellOnMainActor(generation)
    }
  }

  /// Tells them while the job does not. False if it does: the next job tells them then.
  private func tellAlone(upTo generation: UInt64) -> Bool {
    guard telling.beginWriting() else { return false }
    tell(upTo: generation)
    while let left = telling.endWriting() { tell(left) }
    return true
  }

  /// Detached, so that the job inherits nothing of the writer's task, and keeps nothing of it
  /// alive. It keeps this object alive, but not the value.
  ///
  /// What a writer has left to the next job it has left before this: a job that is enqueued already takes it
  /// when it takes what is due.
  private func tellOnMainActor(_ ended: UInt64) {
    let bit: UInt64 = 1 << Self.index(of: ended)
    guard due.bitwiseOr(bit, ordering: .acquiringAndReleasing).oldValue == 0 else { return }
    Task.detached { @MainActor [self] in
      let due = due.exchange(0, ordering: .acquiringAndReleasing)
      guard let left = telling.beginJob(due) else { return }
      tell(left)
      telling.endJob()
    }
  }

  /// - Parameter generations: A bit for each, as in `Telling`.
  private func tell(_ generations: UInt64) {
    // An access of a later generation is registered for the value, too.
    if generations == .max { tell(Self.valuePath) }
    var rest = generations == .max ? 0 : generations
    while rest != 0 {
      tell(Self.generationPaths[rest.trailingZeroBitCount])
      rest &= rest - 1
    }
    // The bit of the first generation, and of later ones in turn.
    if generations & 1 == 1 { tell(firstPath) }
  }

  /// Tells the observers that have read up to this generation.
  ///
  /// Those of the first generation are told last: one that reads again when it is told then belongs
  /// to a later generation. They are told each time, so that one that was overtaken in the gap
  /// hears of a later write.
  private func tell(upTo generation: UInt64) {
    if generation > 0 { tell(Self.valuePath) }
    tell(firstPath)
  }

  /// - Parameter follower: Is told of each later publication until it is removed.
  func add(_ follower: StateFollower) {
    followers.withLock { $0.add(follower) }
    isFollowed.store(true, ordering: .relaxed)
    _ = readers.compareExchange(
      expected: Self.nobody, desired: Self.onlyFollowers, ordering: .relaxed)
  }

  func remove(_ id: ObjectIdentifier) {
    // Those that are replaced are destroyed with no lock held.
    _ = followers.withLock { followers in
      let rest = followers.all.filter { $0.id != id }
      return exchange(&followers.all, with: rest)
    }
  }

  private func tellFollowers() {
    // One that is added meanwhile may have read what one of these changes: the end of a draft.
    var told = 0
    while true {
      let new = followers.withLock { $0.after(told) }
      guard let last = new.last else { return }
      for follower in new { follower.note() }
      told = last.number
    }
  }

  /// Not inlined: reading is small where there is one generation.
  @inline(never)
  private func access(in generation: UInt64) {
    registrar.access(self, keyPath: Self.valuePath)
    registrar.access(self, keyPath: Self.generationPaths[Self.index(of: generation)])
  }

  /// Which path, and which bit, a generation has.
  private static func index(of generation: UInt64) -> Int {
    Int(generation % UInt64(UInt64.bitWidth))
  }

  private func tell(_ path: Path) {
    registrar.willSet(self, keyPath: path)
    registrar.didSet(self, keyPath: path)
  }

  /// - Parameter known: What was known before: `nobody`, or another thread.
  @inline(never)
  private func noteReader(after known: UInt) {
    let isFirst =
      (known == Self.nobody || known == Self.onlyFollowers)
      && readers.compareExchange(
        expected: known, desired: CurrentThread.identifier, ordering: .relaxed
      ).exchanged
    if !isFirst { readers.store(Self.several, ordering: .relaxed) }
  }
}
