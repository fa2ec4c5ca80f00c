import AsyncChannels
import Foundation

extension SharedChannel {
  /// Reads the log until the task is cancelled. Whatever happens to the log, the next entries that can be read are
  /// applied.
  func follow() async {
    var backoff = Backoff()
    while !Task.isCancelled {
      do {
        try await start()
        while true {
          let entries = try await log.entries(after: fold?.position)
          try apply(entries)
          meet(nil)
          backoff = Backoff()
        }
      } catch let found as Obstacle {
        // It may be made blank, or the log may be set back.
        meet(found)
      } catch {
        if Task.isCancelled { return }
        await note(error)
      }
      try? await Task.sleep(for: backoff.next())
    }
  }

  private func note(_ error: any Error) async {
    do {
      switch error as? LogFailure {
      case .otherEpoch?: beginAnew()
      case .gap(let index, let found)?:
        guard fold != nil, let position = fold?.position ?? current.value.position else { break }
        let snapshot = try await log.snapshot(upToVersion: State.version)
        if let snapshot, snapshot.position.index > position.index,
          (try? Fold<State>(snapshot)) != nil
        {
          beginAnew()
          return tell(readFailure: "entries that were not read were deleted")
        }
        if snapshot == nil, let replacement = try await replacement() { return meet(replacement) }
        // Others than channels have deleted entries.
        return meet(Obstacle(holeAfter: position, .gap(after: index, found: found)))
      case .refused?, .unreachable?, nil: break
      }
      tell(readFailure: "\(error)")
    } catch {
      if !Task.isCancelled { tell(readFailure: "\(error)") }
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
    if fold == nil { try await read(upTo: end) }
    // Somebody may have deleted the log's last entries.
    if let obstacle, end.index < obstacle.position.index { meet(nil) }
    if obstacle == nil { tell(readFailure: nil) }
  }

  private func read(upTo end: Position) async throws {
    let snapshot = try await log.snapshot(upToVersion: State.version)
    var (fold, undecoded) = (Fold(initial), String?.none)
    if let snapshot {
      do { fold = try Fold(snapshot) } catch { undecoded = "\(error)" }
    }
    let begin = fold.position?.index ?? 0
    let isUpcast = begin > 0 && snapshot?.version != State.version
    var found: (any Error)?
    while found == nil, (fold.position?.index ?? 0) < end.index {
      var applied: [Applied<State>] = []
      do {
        try fold.apply(try await log.entries(after: fold.position), into: &applied)
      } catch LogFailure.gap where fold.position == nil {
        if undecoded == nil, let replacement = try await replacement() { throw replacement }
        let reason = undecoded ?? "there is none of this version or an older one"
        throw Obstacle(noBeginningIn: end, reason: reason)
      } catch let obstacle as Obstacle {
        found = obstacle
      } catch let gap as LogFailure where gap.isGap {
        found = gap
      }
      remember(applied)
    }
    publish(fold, at: fold.position ?? Position(epoch: end.epoch, index: 0, mark: 0))
    if isUpcast || (fold.position?.index ?? 0) - begin >= snapshotInterval {
      snapshots.inlet.send(fold)
    }
    if let found { throw found }
    meet(nil)
  }

  /// The version that has taken over, if entries were deleted and only newer versions have snapshots: versions that serve
  /// keep their own.
  private func replacement() async throws -> Obstacle? {
    guard let newest = try await log.snapshot(upToVersion: .max), newest.version > State.version
    else { return nil }
    return Obstacle(position: newest.position, version: newest.version)
  }

  /// Applies what can be applied, also if an error is thrown.
  private func apply(_ entries: [Logged<Data>]) throws {
    guard var fold = self.fold.take() else { return }
    var applied: [Applied<State>] = []
    let result = Result { try fold.apply(entries, into: &applied) }
    remember(applied)
    let isOurTurn = applied.contains {
      $0.position.index.isMultiple(of: snapshotInterval) && ownKeys.contains($0.key)
    }
    publish(fold, at: fold.position ?? current.value.position, applied)
    if let time = applied.first?.origin?.time {
      metrics.add(lag: .seconds(max(0, Date.now.timeIntervalSince(time))))
    }
    if isOurTurn { snapshots.inlet.send(fold) }
    try result.get()
  }

  private func publish(
    _ fold: Fold<State>, at position: Position?, _ applied: [Applied<State>] = []
  ) {
    self.fold = fold
    rehearsed = nil
    if current.value.position != position {
      // First: whoever sees the state behind an entry that takes over finds who serves.
      let takesOver = condition.value.role == .waiting && fold.role == .current
      tell(fold.role)
      // So that this version can begin anew, however long it has waited.
      if takesOver { snapshots.inlet.send(fold) }
      // Before the answers: whoever has one finds its command in the state.
      current.value = Revised(position: position, value: fold.state)
    }
    for entry in applied { news.send(entry) }
    answerApplied()
  }

  /// - Parameter found: What the state has come to, and cannot go beyond; nil if it went on.
  private func meet(_ found: Obstacle?) {
    if found == nil, obstacle == nil { return }
    obstacle = found
    let replaced = found?.version.map { Health.Role.replaced(by: $0) }
    tell(replaced ?? fold?.role ?? .current)
    tell(readFailure: replaced == nil ? found.map { "\($0)" } : nil)
    answerApplied()
  }

  private func tell(_ role: Health.Role) {
    if condition.value.role != role { condition.update { $0.role = role } }
  }

  private func remember(_ applied: [Applied<State>]) {
    counts.applied += applied.count
    for entry in applied { replies.remember(entry.reply, for: entry.key) }
  }

  /// Forgets what the log does not have any more. The state stays published until another can be read.
  private func beginAnew() {
    (fold, obstacle, rehearsed) = (nil, nil, nil)
    replies.removeAll()
    drop { _ in true }
    metrics.addRestart()
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

  /// Stores the newest state that should be stored, and deletes entries behind it. A failure costs the next start time,
  /// and the log space.
  func keepSnapshots() async {
    for await fold in snapshots.received {
      do {
        try await keep(fold)
        counts.snapshots += 1
        if let position = fold.position { try await deleteEntries(behind: position) }
        tell(snapshotFailure: nil)
      } catch {
        if Task.isCancelled { return }
        counts.failedSnapshots += 1
        var failure = "\(error)"
        if case LogFailure.refused(let reason) = error { failure = reason }
        tell(snapshotFailure: failure)
      }
    }
  }

  /// Only the version that serves does: a newer one may still be stopped, and can read the snapshots of that.
  private func deleteEntries(behind snapshot: Position) async throws {
    guard let history else { return }
    // The next snapshot goes on with it.
    while condition.value.role == .current, snapshots.received.pendingCount == 0 {
      let count = try await log.compact(before: snapshot.index - history, behind: snapshot)
      if count == 0 { return }
      counts.deleted += count
      // Appends need the log, too.
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  private func tell(snapshotFailure: String?) {
    guard condition.value.snapshotFailure != snapshotFailure else { return }
    condition.update { $0.snapshotFailure = snapshotFailure }
  }

  /// Not on the actor, since encoding a large state takes long.
  nonisolated func keep(_ fold: Fold<State>) async throws {
    if let snapshot = try fold.snapshot(by: author) { try await log.keep(snapshot) }
  }
}

extension LogFailure {
  fileprivate var isGap: Bool { if case .gap = self { true } else { false } }
}
