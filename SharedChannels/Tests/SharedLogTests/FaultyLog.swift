import AsyncChannels
import Foundation
import SharedChannels
import SharedLogConformance

/// What engines may do wrong. Each has the check that must notice it.
enum Fault: CaseIterable {
  case reversesBatches, receiptsAreOneOff, losesAnEntry, skipsAnIndex, appendsTwice,
    forgetsKeysInABatch
  case forgetsKeysOfOtherHandles, forgetsAtRestart, neverWakes, readsOneAtATime, ignoresCancelling,
    forgetsForSlowReaders
  case cutsLargeEntries, givesEverythingAtOnce, tearsBatches, keepsTheEpoch, losesSnapshots
  case keepsSnapshotsOfAnything, blanksNothing, blanksWithoutANewEpoch, blanksAnotherMark,
    keepsWhatHasTheBlank
  case deletesNothing, deletesWithoutASnapshot, deletesBehindAnyPlace, goesOnAcrossAGap,
    beginsAnEpochAtAGap
  case forgetsNothing, forgetsWithoutANewEpoch, forgetsWithoutASnapshot, leavesOlderSnapshots

  var check: LogConformance.Check {
    switch self {
    case .reversesBatches, .receiptsAreOneOff, .losesAnEntry, .skipsAnIndex: .order
    case .appendsTwice, .forgetsKeysInABatch, .forgetsKeysOfOtherHandles: .keys
    case .forgetsAtRestart: .restart
    case .neverWakes, .readsOneAtATime: .waiting
    case .ignoresCancelling: .cancelling
    case .forgetsForSlowReaders: .slowReader
    case .cutsLargeEntries, .givesEverythingAtOnce: .largeEntries
    case .tearsBatches: .concurrentAppenders
    case .keepsTheEpoch: .epochs
    case .losesSnapshots, .keepsSnapshotsOfAnything: .snapshots
    case .blanksNothing, .blanksWithoutANewEpoch, .blanksAnotherMark, .keepsWhatHasTheBlank:
      .blanking
    case .deletesNothing, .deletesWithoutASnapshot, .deletesBehindAnyPlace, .goesOnAcrossAGap,
      .beginsAnEpochAtAGap:
      .compaction
    case .forgetsNothing, .forgetsWithoutANewEpoch, .forgetsWithoutASnapshot, .leavesOlderSnapshots:
      .deletion
    }
  }
}

extension Fault {
  /// How many seconds its check takes at most: a reader that is never woken takes them all.
  var limit: Int { self == .neverWakes ? 3 : 60 }
}

/// A log that does one thing wrong.
struct FaultyLog: SharedLog {
  private let log: MemoryLog
  private let fault: Fault
  /// The number of the handle.
  private let handle: Int
  private let isReading = CurrentValue(false)

  init(_ log: MemoryLog, _ fault: Fault, handle: Int) {
    (self.log, self.fault, self.handle) = (log, fault, handle)
  }

  func append(_ batch: [Keyed<Data>]) async throws -> [Receipt] {
    switch fault {
    case .reversesBatches: return try await log.append(batch.reversed()).reversed()
    case .receiptsAreOneOff:
      return try await log.append(batch).map {
        Receipt(position: moved($0.position, by: 1), isRepeated: $0.isRepeated)
      }
    case .appendsTwice: return try await log.append(salted(batch) { _ in UUID().uuidString })
    case .forgetsKeysInABatch: return try await log.append(salted(batch) { "\($0)" })
    case .forgetsKeysOfOtherHandles:
      return try await log.append(salted(batch) { _ in "\(handle)" })
    case .cutsLargeEntries:
      return try await log.append(batch.map { Keyed(key: $0.key, $0.value.prefix(1 << 16)) })
    case .tearsBatches:
      var receipts: [Receipt] = []
      for element in batch {
        receipts += try await log.append([element])
        await Task.yield()
      }
      return receipts
    default: return try await log.append(batch)
    }
  }

  func entries(after position: Position?) async throws -> [Logged<Data>] {
    switch fault {
    case .readsOneAtATime:
      for await isReading in isReading.outlet where !isReading { break }
      isReading.value = true
      defer { isReading.value = false }
      return try await page(after: position)
    case .losesAnEntry: return try await page(after: position).filter { $0.position.index != 5 }
    case .skipsAnIndex:
      let entries = try await page(after: position.map { moved($0, by: $0.index > 4 ? -1 : 0) })
      return entries.map { entry in
        let place = moved(entry.position, by: entry.position.index > 4 ? 1 : 0)
        return Logged(position: place, key: entry.key, value: entry.value)
      }
    case .neverWakes:
      if try await log.end().index <= position?.index ?? 0 {
        try await Task.sleep(for: .seconds(3_600))
      }
    case .ignoresCancelling:
      if try await log.end().index <= position?.index ?? 0 {
        await withCheckedContinuation { waiting in
          DispatchQueue.global().asyncAfter(deadline: .now() + 20) { waiting.resume() }
        }
      }
    case .forgetsForSlowReaders:
      let oldest = try await log.end().index - 1_000
      return try await page(after: position).filter { $0.position.index > oldest }
    case .givesEverythingAtOnce:
      var entries = try await page(after: position)
      while let last = entries.last?.position, last != (try await log.end()) {
        entries += try await page(after: last)
      }
      return entries
    case .keepsTheEpoch, .blanksWithoutANewEpoch, .forgetsWithoutANewEpoch:
      do {
        return try await page(after: position)
      } catch LogFailure.otherEpoch {
        return try await page(after: nil)
      }
    case .goesOnAcrossAGap, .beginsAnEpochAtAGap:
      do {
        return try await page(after: position)
      } catch LogFailure.gap where fault == .goesOnAcrossAGap {
        return try await page(after: nil)
      } catch LogFailure.gap {
        throw LogFailure.otherEpoch(UUID().uuidString)
      }
    default: break
    }
    return try await page(after: position)
  }

  func end() async throws -> Position {
    let end = try await log.end()
    return fault == .forgetsAtRestart && handle > 1 ? moved(end, by: -1) : end
  }

  func snapshot(upToVersion version: Int) async throws -> Snapshot? {
    fault == .losesSnapshots ? nil : try await log.snapshot(upToVersion: version)
  }

  func keep(_ snapshot: Snapshot) async throws {
    guard fault == .keepsSnapshotsOfAnything else { return try await log.keep(snapshot) }
    try await log.keep(
      Snapshot(version: snapshot.version, position: try await log.end(), data: snapshot.data))
  }

  func blank(_ position: Position) async throws {
    var position = position
    if fault == .blanksNothing { return }
    if fault == .blanksAnotherMark {
      position = try await allEntries(of: log)[Int(position.index) - 1].position
    }
    let kept = try await log.snapshot(upToVersion: 3)
    try await log.blank(position)
    if fault == .keepsWhatHasTheBlank, let kept {
      let place = try await allEntries(of: log)[Int(kept.position.index) - 1].position
      try await log.keep(Snapshot(version: 3, position: place, data: kept.data))
    }
  }

  func compact(before index: Int64, behind snapshot: Position) async throws -> Int {
    var snapshot = snapshot
    switch fault {
    case .deletesNothing: return 0
    case .deletesWithoutASnapshot:
      try await log.keep(Snapshot(version: .max, position: snapshot, data: Data()))
    case .deletesBehindAnyPlace:
      snapshot = try await log.snapshot(upToVersion: .max)?.position ?? snapshot
    default: break
    }
    return try await log.compact(before: index, behind: snapshot)
  }

  func delete(_ indexes: [Int64], behind snapshot: Position) async throws -> Bool {
    let oldest = try await log.snapshot(upToVersion: 1)
    switch fault {
    case .forgetsNothing: return try await log.delete([], behind: snapshot)
    case .forgetsWithoutASnapshot:
      try await log.keep(Snapshot(version: .max, position: snapshot, data: Data()))
    default: break
    }
    let isDone = try await log.delete(indexes, behind: snapshot)
    if fault == .leavesOlderSnapshots, let oldest, isDone {
      let epoch = try await log.end().epoch
      let place = Position(epoch: epoch, index: oldest.position.index, mark: oldest.position.mark)
      try await log.keep(Snapshot(version: 1, position: place, data: oldest.data))
    }
    return isDone
  }

  private func page(after position: Position?) async throws -> [Logged<Data>] {
    try await log.entries(after: position).map { entry in
      let key = entry.key.split(separator: "|", omittingEmptySubsequences: false)[0]
      return Logged(position: entry.position, key: String(key), value: entry.value)
    }
  }

  /// Keys that another one of the same name does not equal.
  private func salted(_ batch: [Keyed<Data>], _ salt: (Int) -> String) -> [Keyed<Data>] {
    batch.enumerated().map { Keyed(key: "\($1.key)|\(salt($0))", $1.value) }
  }

  private func moved(_ position: Position, by distance: Int64) -> Position {
    Position(epoch: position.epoch, index: position.index + distance, mark: position.mark)
  }
}
