import AsyncChannels
import Foundation

/// How large a command may be when it is encoded.
private let largestEntry = 4 << 20
/// How much is appended in one step, but for a single entry.
private let largestBatch = 8 << 20

extension SharedChannel {
  private struct Encoded {
    let order: Order
    let entry: Keyed<Data>
    /// As it will be decoded.
    let command: State.Command
  }

  /// Returns when the input has ended and all commands are answered, or when the task is cancelled.
  func carryOutCommands() async {
    let coder = (encoder: JSONEncoder(), decoder: JSONDecoder())
    // What waits shares one append: that costs little more than a command of its own.
    for await orders in orders.received.batches(ofAtMost: batchSize) {
      let header = Record.header(version: State.version, author: author)
      let commands = orders.compactMap { encoded($0, after: header, coder.encoder, coder.decoder) }
      for batch in batches(of: commands) { await append(batch) }
    }
    for await count in unanswered.outlet where count == 0 { return }
  }

  /// Answers what can never be stored, and returns the rest.
  private func encoded(
    _ order: Order, after header: Data, _ encoder: JSONEncoder, _ decoder: JSONDecoder
  ) -> Encoded? {
    let command = order.command
    guard command.hasValidKey else {
      return refuse(order, "a key has 1 to 255 characters of ASCII that can be printed")
    }
    do {
      let data = try encoder.encode(command.value)
      guard data.count <= largestEntry else {
        return refuse(order, "an encoded command has at most \(largestEntry) bytes")
      }
      // Else no machine could go on behind it.
      let decoded = try decoder.decode(State.Command.self, from: data)
      return Encoded(
        order: order, entry: Keyed(key: command.key, header + data), command: decoded)
    } catch {
      return refuse(order, "the command cannot be encoded and decoded: \(error)")
    }
  }

  private func batches(of commands: [Encoded]) -> [[Encoded]] {
    var batches: [[Encoded]] = []
    var size = largestBatch
    for command in commands {
      size += command.entry.value.count
      if size > largestBatch {
        batches.append([])
        size = command.entry.value.count
      }
      batches[batches.count - 1].append(command)
    }
    return batches
  }

  /// Appends until the log has answered, nobody waits any more, or the task is cancelled.
  private func append(_ batch: [Encoded]) async {
    defer { isAppending = false }
    var backoff = Backoff()
    var batch = batch
    // After a try whose outcome is unknown, the batch may be stored, whatever becomes of the later tries: behind this place.
    var storedBehind: Position?
    var mayBeStored: Bool { storedBehind != nil }
    while true {
      isAppending = false
      while isStarting(condition.value), !Task.isCancelled { await waitUntilStarted() }
      batch = wanted(batch)
      if batch.isEmpty { return }
      if let reason = hindrance { return refuse(batch, reason, mayBeStored: mayBeStored) }
      guard fold != nil else { return }
      isAppending = true
      if !mayBeStored { rehearse(batch) }
      // Before the append: another task may apply the entries before this one has the receipts.
      ownKeys.formUnion(batch.map { $0.entry.key })
      let known = current.value.position
      do {
        if try await mayHaveForgotten(keysBehind: storedBehind) { return forget(batch) }
        let receipts = try await appendInSpan(batch.map(\.entry), for: batch.map(\.order))
        return note(receipts, of: batch)
      } catch LogFailure.refused(let reason) {
        tell(appendFailure: reason)
        forget(batch)
        return refuse(batch, reason, mayBeStored: mayBeStored)
      } catch {
        // Nobody knows whether it was stored. The keys make a second time harmless.
        storedBehind = storedBehind ?? known
        if !Task.isCancelled { tell(appendFailure: "\(error)") }
      }
      forget(batch)
      if (try? await Task.sleep(for: backoff.next())) == nil { return }
    }
  }

  /// Whether another try could store a batch twice, or soon could: the log has gone on for half of what it keeps, or has
  /// another epoch, so the commands may have been deleted.
  private func mayHaveForgotten(keysBehind place: Position?) async throws -> Bool {
    guard let place else { return false }
    do {
      let end = try await log.end()
      return end.epoch != place.epoch || history.map { end.index - place.index > $0 / 2 } ?? false
    } catch {
      throw LogFailure.unreachable("\(error)")
    }
  }

  /// Whether the log has to be read first, which tells the versions that use it, or this version takes over first.
  private func isStarting(_ health: Health) -> Bool {
    guard obstacle == nil else { return false }
    return !health.isReady
      || takesOver && health.role == .waiting && health.appendFailure == nil
  }

  private func waitUntilStarted() async {
    for await health in condition.outlet where !isStarting(health) { return }
  }

  /// Why this machine may not append, as far as it has read.
  var hindrance: String? {
    if case .replaced(let version) = condition.value.role {
      return "version \(version) has taken over"
    }
    if let obstacle { return "\(obstacle)" }
    if condition.value.role == .current { return nil }
    let failure = condition.value.appendFailure.map { ": \($0)" } ?? ""
    return "version \(State.version) has not taken over yet\(failure)"
  }

  /// Applies a batch to a copy of the state, with what was appended and is not applied yet: about where the batch will
  /// be in the order. So a command that traps ends this process before it is stored, and no other.
  private func rehearse(_ batch: [Encoded]) {
    let isBegun = rehearsed != nil
    // Taken, so that applying does not copy once more.
    guard var state = rehearsed.take() ?? fold?.state else { return }
    if !isBegun {
      var last: Int64 = 0
      for command in appended.sorted(by: { $0.position.index < $1.position.index })
      where command.position.index != last {
        _ = state.apply(command.command)
        last = command.position.index
      }
    }
    // Of several with one key, the log keeps the first.
    var known = ownKeys
    for command in batch
    where replies[command.entry.key] == nil && known.insert(command.entry.key).inserted {
      _ = state.apply(command.command)
    }
    rehearsed = state
  }

  private func wanted(_ batch: [Encoded]) -> [Encoded] {
    let wanted = batch.filter { $0.order.isWanted }
    counts.abandoned += batch.count - wanted.count
    return wanted
  }

  private func note(_ receipts: [Receipt], of batch: [Encoded]) {
    precondition(
      receipts.count == batch.count,
      "\(log) gave \(receipts.count) receipts for \(batch.count) entries.")
    counts.batches += 1
    counts.appended += batch.count
    counts.repeated += receipts.count { $0.isRepeated }
    for (command, receipt) in zip(batch, receipts) {
      appended.append(
        Appended(order: command.order, command: command.command, position: receipt.position))
    }
    // What was rehearsed is not what the log has.
    if receipts.contains(where: \.isRepeated) { rehearsed = nil }
    tell(appendFailure: nil)
    answerApplied()
  }

  /// Answers the commands that the state has. Their entries are durable: the log gave a receipt.
  ///
  /// Drops those of another epoch than the state's: the log was set back after one of the two was read, so nobody
  /// knows whether the log still has the command.
  func answerApplied() {
    defer { unanswered.value = appended.count }
    guard let applied = fold?.position else {
      // There may never be a state: another machine knows the replies.
      if obstacle != nil { drop { _ in true } }
      return
    }
    drop { $0.position.epoch != applied.epoch }
    drop { command in
      // Behind an obstacle, another machine knows the reply.
      guard applied.isAtOrAfter(command.position) else { return obstacle != nil }
      let reply = replies[command.order.command.key]
      command.order.request?.reply(
        reply.map { .applied($0, at: command.position) } ?? .repeated(at: command.position))
      return true
    }
  }

  /// Those that were not answered get nil when their requests are gone.
  func drop(where isGone: (Appended) -> Bool) {
    appended.removeAll { command in
      guard isGone(command) else { return false }
      ownKeys.remove(command.order.command.key)
      return true
    }
    unanswered.value = appended.count
  }

  private func forget(_ batch: [Encoded]) {
    rehearsed = nil
    ownKeys.subtract(batch.map { $0.entry.key })
  }

  /// Requests that are dropped get nil: their askers ask again, with the same keys.
  private func refuse(_ batch: [Encoded], _ reason: String, mayBeStored: Bool) {
    if !mayBeStored { for command in batch { refuse(command.order, reason) } }
  }

  @discardableResult
  private func refuse(_ order: Order, _ reason: String) -> Encoded? {
    counts.notStored += 1
    order.request?.reply(.notStored(reason))
    return nil
  }

  private func tell(appendFailure: String?) {
    if appendFailure != nil { counts.failedAppends += 1 }
    guard condition.value.appendFailure != appendFailure else { return }
    condition.update { $0.appendFailure = appendFailure }
  }

  /// Appends blank entries: to take over, and, while appends fail, to find out whether they would succeed. For a server
  /// that is not ready may get no command, and would never be ready again.
  func appendBlanks() async {
    for await health in condition.outlet.subscribe(buffering: .bufferingNewest(1))
    where needsBlank(health) {
      var backoff = Backoff()
      while needsBlank(condition.value) {
        guard (try? await Task.sleep(for: backoff.next())) != nil else { return }
        // A batch that is being appended tells more, and before this would end.
        if isAppending || !needsBlank(condition.value) { continue }
        let known = (counts.batches, counts.failedAppends)
        let failure: String?
        do {
          try await appendBlank()
          failure = nil
        } catch LogFailure.refused(let reason) {
          failure = reason
        } catch {
          if Task.isCancelled { return }
          failure = "\(error)"
        }
        // Else it would be older than what a batch has told.
        if !isAppending, known == (counts.batches, counts.failedAppends) {
          tell(appendFailure: failure)
        }
      }
    }
  }

  private func needsBlank(_ health: Health) -> Bool {
    guard health.isReady, obstacle == nil else { return false }
    return switch health.role {
    case .current: health.appendFailure != nil
    case .waiting: takesOver && health.readFailure == nil
    case .replaced: false
    }
  }

  /// An entry that tells this version, and changes nothing else. Several machines that take over append one each, or more
  /// until they have read one.
  func appendBlank() async throws {
    let header = Record.header(version: State.version, author: author)
    _ = try await log.append([Keyed(key: "blank \(UUID().uuidString)", header)])
  }
}
