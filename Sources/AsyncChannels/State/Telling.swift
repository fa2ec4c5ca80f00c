import Synchronization

/// Sees to it that a writer and the job on the main actor do not tell observers simultaneously: see
/// `ObservedValue`.
///
/// What somebody has to tell has a bit for each generation of observers. With each bit set, it is all observers.
struct Telling: ~Copyable, Sendable {
  /// Not private: the compiler (6.3.1) does not find its metadata in another file then.
  struct State: Sendable {
    /// How many writers tell. None while the job does.
    var writers: UInt32 = 0
    var isJobTelling = false
    /// What the job has left to the writers.
    var toWriters: UInt64 = 0
    /// What a writer has left to the next job: all, or nothing.
    var toJob: UInt64 = 0
  }

  private let state = Locked(State())

  /// False if the job is telling: then another job has to tell all.
  func beginWriting() -> Bool {
    state.withLock { state in
      if state.isJobTelling { state.toJob = .max } else { state.writers += 1 }
      return !state.isJobTelling
    }
  }

  /// What the job has left to this writer, which is the last; it has not ended then. Nil when it has.
  func endWriting() -> UInt64? {
    state.withLock { state in
      if state.writers == 1, state.toWriters != 0 { return exchange(&state.toWriters, with: 0) }
      state.writers -= 1
      return nil
    }
  }

  /// What the job has to tell. Nil if it has left that to a writer.
  ///
  /// - Parameter generations: A bit for each that is due.
  func beginJob(_ generations: UInt64) -> UInt64? {
    state.withLock { state in
      let left = generations | exchange(&state.toJob, with: 0)
      if state.writers > 0 {
        state.toWriters |= left
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
