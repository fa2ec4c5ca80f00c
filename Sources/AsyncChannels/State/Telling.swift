import Synchronization

/// Sees to it that a writer and the job on the main actor do not tell observers simultaneously: see
/// `ObservedValue`.
struct Telling: ~Copyable, Sendable {
  /// What somebody has to tell: the observers of some generations, or all.
  struct Left: Sendable {
    /// A bit for each.
    var generations: UInt64 = 0
    var all = false

    var isEmpty: Bool { generations == 0 && !all }
  }

  /// Not private: the compiler (6.3.1) does not find its metadata in another file then.
  struct State: Sendable {
    /// How many writers tell. None while the job does.
    var writers: UInt32 = 0
    var isJobTelling = false
    /// What the job has left to the writers.
    var toWriters = Left()
    /// Whether a writer has left all to the next job.
    var allToJob = false
  }

  private let state = Locked(State())

  /// False if the job is telling: then another job has to tell all.
  func beginWriting() -> Bool {
    state.withLock { state in
      state.writers += state.isJobTelling ? 0 : 1
      state.allToJob = state.allToJob || state.isJobTelling
      return !state.isJobTelling
    }
  }

  /// What the job has left to this writer, which is the last; it has not ended then. Nil when it has.
  func endWriting() -> Left? {
    state.withLock { state in
      if state.writers == 1, !state.toWriters.isEmpty { return state.toWriters.take() }
      state.writers -= 1
      return nil
    }
  }

  /// What the job has to tell. Nil if it has left that to a writer.
  ///
  /// - Parameter generations: A bit for each that is due.
  func beginJob(_ generations: UInt64) -> Left? {
    state.withLock { state in
      let left = Left(generations: generations, all: state.allToJob)
      state.allToJob = false
      if state.writers > 0 {
        state.toWriters.generations |= generations
        state.toWriters.all = state.toWriters.all || left.all
        return nil
      }
      state.isJobTelling = true
      return left
    }
  }

  func endJob() {
    state.withLock { $0.isJobTelling = false }
  }
}

extension Telling.Left {
  fileprivate mutating func take() -> Self {
    exchange(&self, with: Self())
  }
}
