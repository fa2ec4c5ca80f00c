/// Jobs that can run, and which of them is the next.
///
/// The main actor's jobs keep their order among themselves, as they do on the main thread. Jobs of the pool have
/// none: each may be begun by another thread, which the system may stop before it has begun. So any order of
/// those among each other, and beside the main actor's, is one that can happen.
struct ReadyJobs {
  private var pool: ArraySlice<Numbered> = []
  private var mainActor: ArraySlice<Numbered> = []
  private var lastNumber = 0
  private var order: JobOrder
  private var random: SplitMix64?
  /// Where another was taken than the one that has been ready for longest: which one, by age. Of each other order
  /// than a random one it is what was asked for.
  private(set) var deviations: [Int: Int] = [:]
  /// How many were taken.
  private var takenCount = 0

  private struct Numbered {
    let number: Int
    let job: OwnedJob
  }

  init(_ order: JobOrder) {
    self.order = order
    if case .random(let seed) = order { random = SplitMix64(seed: seed) }
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

  /// One of the pool's, or the first of the main actor's.
  mutating func popNext() -> OwnedJob? {
    let count = pool.count + (mainActor.isEmpty ? 0 : 1)
    if count == 0 { return nil }
    takenCount += 1
    let choice = choose(among: count)
    if choice > 0 { deviations[takenCount] = choice }
    guard let main = mainActor.first else { return take(choice) }
    let older = olderInPool(than: main, atMost: choice + 1)
    if older == choice { return mainActor.popFirst()?.job }
    return take(choice < older ? choice : choice - 1)
  }

  private mutating func choose(among count: Int) -> Int {
    switch order {
    case .asReady: 0
    case .random: count == 1 ? 0 : Int(random?.next(below: UInt64(count)) ?? 0)
    case .deviating(let deviations): min(deviations[takenCount] ?? 0, count - 1)
    }
  }

  private mutating func take(_ choice: Int) -> OwnedJob? {
    choice == 0 ? pool.popFirst()?.job : pool.remove(at: pool.startIndex + choice).job
  }

  private func olderInPool(than job: Numbered, atMost limit: Int) -> Int {
    pool.prefix(limit).prefix { $0.number < job.number }.count
  }
}
