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
  }

  /// Returns when the input has ended and all commands are answered, or when the task is cancelled.
  func carryOutCommands() async {
    // What waits shares one append: that costs little more than a command of its own.
    for await orders in orders.received.batches(ofAtMost: batchSize) {
      for batch in batches(of: orders.compactMap(encoded)) { await append(batch) }
    }
    for await count in unanswered.outlet where count == 0 { return }
  }

  /// Answers what can never be stored, and returns the rest.
  private func encoded(_ order: Order) -> Encoded? {
    let command = order.command
    guard command.hasValidKey else {
      return refuse(order, "a key has 1 to 255 characters of ASCII that can be printed")
    }
    do {
      let data = try JSONEncoder().encode(command.value)
      guard data.count <= largestEntry else {
        return refuse(order, "an encoded command has at most \(largestEntry) bytes")
      }
      return Encoded(order: order, entry: Keyed(key: command.key, data))
    } catch {
      return refuse(order, "the command cannot be encoded: \(error)")
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
    var backoff = Backoff()
    var batch = batch
    // After a try whose outcome is unknown, the batch may be stored, whatever becomes of the later tries.
    var mayBeStored = false
    while true {
      batch = wanted(batch)
      if batch.isEmpty { return }
      // Before the append: another task may apply the entries before this one has the receipts.
      ownKeys.formUnion(batch.map(\.entry.key))
      do {
        let receipts = try await log.append(batch.map(\.entry))
        return note(receipts, of: batch)
      } catch LogFailure.refused(let reason) {
        tell(appendFailure: reason)
        forget(batch)
        // Requests that are dropped get nil: their askers ask again, with the same keys.
        if !mayBeStored { for command in batch { refuse(command.order, reason) } }
        return
      } catch {
        // Nobody knows whether it was stored. The keys make a second time harmless.
        mayBeStored = true
        if !Task.isCancelled { tell(appendFailure: "\(error)") }
      }
      forget(batch)
      if (try? await Task.sleep(for: backoff.next())) == nil { return }
    }
  }

  private func wanted(_ batch: [Encoded]) -> [Encoded] {
    let wanted = batch.filter(\.order.isWanted)
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
      appended.append(Appended(order: command.order, position: receipt.position))
    }
    tell(appendFailure: nil)
    answerApplied()
  }

  /// Answers the commands that the state has. Their entries are durable: the log gave a receipt.
  ///
  /// Drops those of another epoch than the state's: the log was set back after one of the two was read, so nobody
  /// knows whether the log still has the command.
  func answerApplied() {
    defer { unanswered.value = appended.count }
    guard let applied = fold?.position else { return }
    drop { $0.position.epoch != applied.epoch }
    drop { command in
      guard applied.isAtOrAfter(command.position) else { return false }
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
    ownKeys.subtract(batch.map(\.entry.key))
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
}
