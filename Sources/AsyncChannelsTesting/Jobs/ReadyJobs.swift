/// Jobs that can run, and which of them is the next.
///
/// The main actor's jobs keep their order among themselves, as they do on the main thread. Jobs of the pool have
/// none: each may be begun by another thread, which the system may stop before it has begun. So any order of
/// those among each other, and beside the main actor's, is one that can happen.
struct ReadyJobs {
  private var pool: ArraySlice<Numbered> = []
  private var mainActor: ArraySlice<Numbered> = []
  private var lastNumber = 0
  /// Nil for the order in which they became ready.
  private var random: SplitMix64?

  private struct Numbered {
    let number: Int
    let job: OwnedJob
  }

  init(seed: UInt64?) {
    random = seed.map(SplitMix64.init)
  }

  /// The tasks whose jobs these are, without those that run on an actor.
  var tasks: [UInt64] { (pool + mainActor).compactMap(\.job.taskNumber) }

  var count: Int { pool.count + mainActor.count }

  mutating func append(_ job: OwnedJob) {
    lastNumber += 1
    let numbered = Numbered(number: lastNumber, job: job)
    switch job.place {
    case .pool: pool.append(numbered)
    case .mainActor: mainActor.append(numbered)
    }
  }

  mutating func popNext() -> OwnedJob? {
    guard let first = pool.first else { return mainActor.popFirst()?.job }
    if random != nil { return popAny() }
    if let other = mainActor.first, other.number < first.number { return mainActor.popFirst()?.job }
    return pool.popFirst()?.job
  }

  /// One of the pool's, or the first of the main actor's.
  private mutating func popAny() -> OwnedJob? {
    let choices = pool.count + (mainActor.isEmpty ? 0 : 1)
    let choice = Int(random?.next(below: UInt64(choices)) ?? 0)
    if choice == pool.count { return mainActor.popFirst()?.job }
    pool.swapAt(pool.startIndex + choice, pool.endIndex - 1)
    return pool.popLast()?.job
  }
}
