import AsyncChannels
import Foundation

extension SharedChannel {
  /// Reads the log until the task is cancelled. Whatever happens to the log, the next entries that can be read are
  /// applied.
  func follow() async throws {
    var backoff = Backoff()
    while !Task.isCancelled {
      do {
        try await start()
        while true {
          let entries = try await log.entries(after: fold?.position)
          backoff = Backoff()
          try await apply(entries)
        }
      } catch let error as UnreadableEntry {
        tell(readFailure: "\(error)")
        throw error
      } catch {
        if Task.isCancelled { return }
        if let failure = error as? LogFailure, failure.isOfHistory { beginAnew() }
        tell(readFailure: "\(error)")
        try? await Task.sleep(for: backoff.next())
      }
    }
  }

  /// Reads what the log has now, if it was not read yet, and makes sure that the log answers.
  ///
  /// The states in between are not published: after the log was set back, they would be older than the last one.
  private func start() async throws {
    let end = try await log.end()
    if let position = fold?.position, position.epoch != end.epoch {
      throw LogFailure.otherEpoch(end.epoch)
    }
    if fold == nil {
      let snapshot = try await log.snapshot(version: State.version)
      var fold = snapshot.flatMap { Fold($0) } ?? Fold(initial)
      let begin = fold.position?.index ?? 0
      while (fold.position?.index ?? 0) < end.index {
        remember(try fold.apply(try await log.entries(after: fold.position)))
      }
      self.fold = fold
      // Without entries, the log's end is its beginning.
      current.value = Revised(position: fold.position ?? end, value: fold.state)
      answerApplied()
      if (fold.position?.index ?? 0) - begin >= snapshotInterval { snapshots.inlet.send(fold) }
    }
    tell(readFailure: nil)
  }

  private func apply(_ entries: [Logged<Data>]) async throws {
    guard var fold = self.fold.take() else { return }
    let applied: [Applied<State>]
    do {
      applied = try fold.apply(entries)
    } catch {
      self.fold = fold
      throw error
    }
    self.fold = fold
    remember(applied)
    // Before the answers: whoever has one finds its command in the state.
    current.value = Revised(position: fold.position, value: fold.state)
    for entry in applied { news.send(entry) }
    let isOurTurn = applied.contains {
      $0.position.index.isMultiple(of: snapshotInterval) && ownKeys.contains($0.key)
    }
    answerApplied()
    if isOurTurn { snapshots.inlet.send(fold) }
  }

  private func remember(_ applied: [Applied<State>]) {
    counts.applied += applied.count
    for entry in applied { replies.remember(entry.reply, for: entry.key) }
  }

  /// Forgets what the log does not have any more. The state stays published until another can be read.
  private func beginAnew() {
    fold = nil
    replies.removeAll()
    drop { _ in true }
    condition.update {
      $0.isReady = false
      $0.restarts += 1
    }
  }

  private func tell(readFailure: String?) {
    if readFailure != nil { counts.failedReads += 1 }
    let isReady = fold != nil
    guard condition.value.readFailure != readFailure || condition.value.isReady != isReady else {
      return
    }
    condition.update {
      $0.readFailure = readFailure
      $0.isReady = isReady
    }
  }

  /// Stores the newest state that should be stored. A failure costs the next start time, and nothing else.
  func keepSnapshots() async {
    for await fold in snapshots.received {
      do {
        try await Self.keep(fold, in: log)
        counts.snapshots += 1
      } catch {
        counts.failedSnapshots += 1
      }
    }
  }

  /// Not on the actor, since encoding a large state takes long.
  private nonisolated static func keep(_ fold: Fold<State>, in log: any SharedLog) async throws {
    if let snapshot = try fold.snapshot() { try await log.keep(snapshot) }
  }
}

extension LogFailure {
  /// Whether what was read before does not fit the log.
  fileprivate var isOfHistory: Bool {
    switch self {
    case .otherEpoch, .gap: true
    case .refused, .unreachable: false
    }
  }
}
