import Foundation
import SharedChannels

extension CheckRun {
  func checkRestart() async throws {
    let batches = [batch("r", 0..<3), batch("r", 3..<10)]
    let (receipts, snapshot) = try await fill(batches)
    let log = try await open()
    try require(try await readAll(log), are: batches, at: receipts)
    try require(
      try await log.snapshot(upToVersion: 1) == snapshot,
      "the snapshot is not there after a restart")
    let again = try await log.append(batch("r", 8..<12))
    try require(
      again.map(\.isRepeated) == [true, true, false, false],
      "keys are not known after a restart")
    try require(
      again.map(\.position.index) == [9, 10, 11, 12], "indexes do not continue after a restart")
  }

  /// Its handle is closed when it returns.
  private func fill(_ batches: [[Keyed<Data>]]) async throws -> ([[Receipt]], Snapshot) {
    let log = try await open()
    var receipts: [[Receipt]] = []
    for batch in batches { receipts.append(try await log.append(batch)) }
    let snapshot = Snapshot(
      version: 1, position: try await log.end(), data: Data("state".utf8))
    try await log.keep(snapshot)
    return (receipts, snapshot)
  }

  func checkEpochs() async throws {
    let kept = try await fillAndBackUp()
    let lost = try await fillFurther()
    try await engine.restore(name)
    let first = try await readAfterRestore(kept: kept, lost: lost)
    // This time, others append before anyone has noticed.
    try await engine.restore(name)
    try await append(batch("new", 0..<12))
    let log = try await open()
    let second = try await requireOtherEpoch(log, after: lost[14])
    try require(
      first != second && second != lost[14].epoch, "the log has an epoch a second time")
    try require(
      try await readAll(log).map(\.key) == batch("e", 0..<10).map(\.key)
        + batch("new", 0..<12).map(\.key), "a log that was set back has lost what it had")
  }

  /// Ten entries, and a snapshot after eight.
  private func fillAndBackUp() async throws -> Snapshot {
    let snapshot = try await append(batch("e", 0..<8), keepingVersion: 2)
    try await append(batch("e", 8..<10))
    try await engine.backUp(name)
    return snapshot
  }

  /// Ten further entries, and a snapshot; the positions of all twenty.
  private func fillFurther() async throws -> [Position] {
    try await append(batch("e", 10..<20), keepingVersion: 1)
    return try await readAll(open()).map(\.position)
  }

  private func readAfterRestore(kept: Snapshot, lost: [Position]) async throws -> String {
    let (log, other) = (try await open(), try await open())
    let epoch = try await requireOtherEpoch(log, after: lost[19])
    // A reader whose place is still there is told, too: what comes after it is another history.
    for position in [lost[4], lost[9], lost[19]] {
      let same = try await requireOtherEpoch(other, after: position)
      try require(same == epoch, "two readers that notice it get two epochs")
    }
    let entries = try await readAll(other)
    try require(
      entries.map(\.key) == batch("e", 0..<10).map(\.key), "the log does not have its backup")
    try require(
      entries.allSatisfy { $0.position.epoch == epoch }, "entries have another epoch than the log")
    try require(try await log.end().epoch == epoch, "the end has another epoch than the log")
    try require(
      try await log.snapshot(upToVersion: 1) == nil, "a snapshot of what was lost is there")
    let snapshot = try await log.snapshot(upToVersion: 2)
    try require(
      snapshot?.position == entries[7].position && snapshot?.data == kept.data,
      "the snapshot before the backup is not there, in the new epoch")
    try await log.keep(Snapshot(version: 3, position: lost[19], data: Data()))
    try require(
      try await log.snapshot(upToVersion: 3)?.version == 2, "a snapshot of a lost position was kept"
    )
    let receipts = try await log.append(batch("e", 10..<11))
    try require(
      receipts.map(\.position.index) == [11] && receipts[0].position.epoch == epoch
        && !receipts[0].isRepeated, "a key that was lost cannot be appended again")
    return epoch
  }

  private func requireOtherEpoch(_ log: any SharedLog, after position: Position) async throws
    -> String
  {
    do {
      let entries = try await within(.seconds(10), "a reader hears of the other epoch") {
        try await log.entries(after: position)
      }
      throw ConformanceFailure(
        check: check,
        reason: "a reader at a lost position got the entries \(entries.map(\.position.index))")
    } catch LogFailure.otherEpoch(let epoch) {
      try require(epoch != position.epoch, "the other epoch is the reader's own")
      return epoch
    }
  }

  /// On a handle that is closed when it returns.
  @discardableResult
  private func append(_ batch: [Keyed<Data>], keepingVersion version: Int? = nil) async throws
    -> Snapshot
  {
    let log = try await open()
    _ = try await log.append(batch)
    let snapshot = Snapshot(
      version: version ?? 0, position: try await log.end(), data: Data("\(batch.count)".utf8))
    if version != nil { try await log.keep(snapshot) }
    return snapshot
  }

  func checkSnapshots() async throws {
    let (log, other) = (try await open(), try await open())
    try require(try await log.snapshot(upToVersion: 1) == nil, "a new log has a snapshot")
    let positions = try await log.append(batch("s", 0..<10)).map(\.position)
    func snapshot(_ version: Int, at index: Int, _ data: Data) -> Snapshot {
      Snapshot(version: version, position: positions[index - 1], data: data)
    }
    let large = snapshot(1, at: 9, Data(repeating: 7, count: 5 << 20))
    let another = snapshot(2, at: 2, Data([0, 1, 255]))
    for kept in [snapshot(1, at: 5, Data("5".utf8)), another, large] {
      try await log.keep(kept)
      try require(
        try await other.snapshot(upToVersion: kept.version) == kept,
        "the snapshot at \(kept.position.index) is not the newest")
    }
    let unknown = Position(epoch: positions[9].epoch, index: 10, mark: positions[9].mark ^ 1)
    let beyond = Position(epoch: positions[9].epoch, index: 99, mark: 1)
    for position in [positions[2], unknown, beyond] {
      try await other.keep(Snapshot(version: 1, position: position, data: Data()))
    }
    try require(
      try await log.snapshot(upToVersion: 1) == large,
      "an older snapshot, or one of an unknown position, has replaced the newest")
    try require(
      try await log.snapshot(upToVersion: 2) == another,
      "a version's snapshot was replaced by another's")
    try require(
      try await log.snapshot(upToVersion: 9) == another, "a newer version does not get it")
    try require(
      try await log.snapshot(upToVersion: 0) == nil, "an older version gets a newer one's")
  }

  func checkBlanking() async throws {
    let (log, other) = (try await open(), try await open())
    let positions = try await log.append(batch("b", 0..<10)).map(\.position)
    for (version, index) in [(1, 3), (2, 4), (3, 9)] {
      try await log.keep(
        Snapshot(version: version, position: positions[index - 1], data: Data("s".utf8)))
    }
    let former = try await readAll(log)
    let waiting = Task { try await requireOtherEpoch(log, after: positions[9]) }
    do {
      try await other.blank(positions[3])
    } catch LogFailure.refused {
      waiting.cancel()
      _ = await waiting.result
      return try require(try await readAll(log) == former, "what was refused has changed the log")
    }
    _ = try await waiting.value
    let entries = try await readAll(log)
    let place = entries[8].position
    let unknown = [positions[8], Position(epoch: place.epoch, index: 9, mark: place.mark ^ 1)]
    for position in unknown { try await other.blank(position) }
    try require(
      try await readAll(log) == entries,
      "blanking a position that the log does not have has changed it")
    try require(
      entries.map(\.key) == batch("b", 0..<10).map(\.key), "a blank entry has lost its place or key"
    )
    try require(
      entries.map(\.value.isEmpty) == (1...10).map { $0 == 4 },
      "others than the blank entry are without content, or it is not")
    try require(
      try await log.snapshot(upToVersion: 1)?.position == entries[2].position,
      "a snapshot before the blank entry is gone")
    for version in 2...3 {
      try require(
        try await log.snapshot(upToVersion: version)?.version == 1,
        "a snapshot with its content is there")
    }
    try await log.keep(Snapshot(version: 3, position: positions[8], data: Data()))
    try require(
      try await log.snapshot(upToVersion: 3)?.version == 1,
      "a snapshot of the former epoch was kept")
    let again = try await log.append(batch("b", 3..<4))
    try require(again[0].isRepeated, "the key of a blank entry can be appended again")
  }

  func checkCompaction() async throws {
    let (log, other) = (try await open(), try await open())
    let positions = try await log.append(batch("c", 0..<3_000)).map(\.position)
    let end = positions[2_999]
    if try await isRefused({ _ = try await other.compact(before: 2, behind: end) }) {
      return try require(
        try await readAll(log).map(\.position) == positions, "what was refused has changed the log")
    }
    let old = Snapshot(version: 1, position: positions[1_499], data: Data("old".utf8))
    let new = Snapshot(version: 2, position: positions[2_499], data: Data("new".utf8))
    try await requireCompaction(other, before: 2_000, behind: new.position, deletes: 0)
    for snapshot in [old, new] { try await log.keep(snapshot) }
    for place in [
      Position(epoch: "another", index: 2_500, mark: new.position.mark),
      Position(epoch: end.epoch, index: 2_500, mark: new.position.mark ^ 1), positions[2_498],
    ] {
      try await requireCompaction(other, before: 2_000, behind: place, deletes: 0)
    }
    try await requireCompaction(other, before: 2_000, behind: new.position, deletes: 1_999)
    try require(
      try await log.snapshot(upToVersion: 1) == nil, "the snapshot of a deleted place is there")
    // The snapshot's last entry stays.
    try await requireCompaction(other, before: 9_999, behind: new.position, deletes: 500)
    try require(try await other.snapshot(upToVersion: 2) == new, "the newest snapshot is gone")
    for reader in [log, other] {
      try await requireGap(reader, after: positions[1_499], found: 2_500)
      let first = try await reader.entries(after: nil)[0].position
      try require(first == positions[2_499], "the first entry is at \(first.index), not at 2500")
      let rest = try await read(500, from: reader, after: first)
      try require(
        rest.map(\.position) == Array(positions[2_500...]), "the entries behind are others")
    }
    try await log.keep(Snapshot(version: 3, position: positions[1_999], data: Data()))
    try require(
      try await log.snapshot(upToVersion: 3) == new, "a snapshot of a deleted place was kept")
    let again = try await other.append(batch(["c-7", "c-2499"]))
    try require(
      again.map(\.position.index) == [3_001, 2_500] && again.map(\.isRepeated) == [false, true],
      "not the keys of deleted entries alone are forgotten")
    try require(try await log.end().epoch == end.epoch, "the log has another epoch")
    try await requireBlankingKeepsABeginning(log, other, positions)
  }

  /// The version 2 has a snapshot at the log's first entry.
  private func requireBlankingKeepsABeginning(
    _ log: any SharedLog, _ other: any SharedLog, _ positions: [Position]
  ) async throws {
    for (version, index) in [(1, 2_800), (3, 2_850)] {
      try await log.keep(
        Snapshot(version: version, position: positions[index - 1], data: Data()))
    }
    for index in [2_500, 2_700, 2_820] {
      try require(
        try await isRefused { try await other.blank(positions[index - 1]) },
        "the entry \(index) was made blank, and a version cannot begin anew")
    }
    try await log.blank(positions[2_899])
    let first = try await other.entries(after: nil)[0].position
    let entries = try await read(501, from: other, after: first)
    try require(entries[399].value.isEmpty, "the entry was not made blank")
    for (version, index) in [(1, 2_800), (2, 2_500), (3, 2_850)] {
      try require(
        try await log.snapshot(upToVersion: version)?.position.index == Int64(index),
        "a snapshot before the blank entry is gone")
    }
  }

  func checkDeletion() async throws {
    let (log, other) = (try await open(), try await open())
    let positions = try await log.append(batch("d", 0..<100)).map(\.position)
    let former = try await readAll(log)
    if try await isRefused({ _ = try await other.delete([5], behind: positions[59]) }) {
      return try require(try await readAll(log) == former, "what was refused has changed the log")
    }
    for (version, index) in [(1, 40), (2, 60), (3, 80)] {
      try await log.keep(
        Snapshot(version: version, position: positions[index - 1], data: Data("s".utf8)))
    }
    let (epoch, mark) = (positions[59].epoch, positions[59].mark)
    for place in [
      Position(epoch: "another", index: 60, mark: mark),
      Position(epoch: epoch, index: 60, mark: mark ^ 1), positions[58],
    ] {
      let isDone = try await other.delete([5], behind: place)
      let isSame = try await readAll(log) == former
      try require(!isDone && isSame, "entries before a place without a snapshot were deleted")
    }
    let waiting = Task { try await requireOtherEpoch(log, after: positions[99]) }
    let isDone = try await other.delete([5, 6, 30, 60, 70, 999], behind: positions[59])
    _ = try await waiting.value
    var entries: [Logged<Data>] = []
    try await log.forEachEntry { entries.append($0) }
    let rest = former.filter { ![1, 5, 6, 30].contains($0.position.index) }
    try require(
      isDone && entries.map(\.position.index) == rest.map(\.position.index)
        && entries.map(\.key) == rest.map(\.key) && entries.map(\.value) == rest.map(\.value),
      "others than the entries that were asked for, and the first, are gone, or one of them is there"
    )
    var snapshots: [Int64?] = []
    for version in 1...3 {
      snapshots.append(try await other.snapshot(upToVersion: version)?.position.index)
    }
    try require(
      snapshots == [nil, 60, 80], "not the snapshots before that one alone are gone")
    let place = Position(epoch: entries[0].position.epoch, index: 5, mark: positions[4].mark)
    try await requireGap(other, after: place, found: 7)
    try await log.keep(Snapshot(version: 4, position: positions[98], data: Data()))
    try require(
      try await log.snapshot(upToVersion: 4)?.version == 3,
      "a snapshot of the former epoch was kept")
    try require(
      try await isRefused { try await other.blank(entries[51].position) },
      "an entry was made blank, and a version cannot begin anew")
    let again = try await other.append(batch(["d-4", "d-6"]))
    try require(
      again.map(\.position.index) == [101, 7] && again.map(\.isRepeated) == [false, true],
      "not the keys of deleted entries alone are forgotten")
  }

  private func isRefused(_ body: () async throws -> Void) async throws -> Bool {
    do { try await body() } catch LogFailure.refused { return true }
    return false
  }

  private func requireCompaction(
    _ log: any SharedLog, before index: Int64, behind snapshot: Position, deletes expected: Int
  ) async throws {
    var (deleted, count) = (0, 0)
    repeat {
      count = try await log.compact(before: index, behind: snapshot)
      deleted += count
    } while count > 0
    try require(
      deleted == expected, "\(deleted) entries before \(index) were deleted, not \(expected)")
  }

  private func requireGap(_ log: any SharedLog, after position: Position, found: Int64) async throws
  {
    do {
      let entries = try await within(.seconds(10), "a reader hears of the deleted entries") {
        try await log.entries(after: position)
      }
      try require(false, "a reader at a deleted entry got \(entries.map(\.position.index))")
    } catch LogFailure.gap(position.index, found) {
    } catch let failure as LogFailure {
      try require(false, "a reader at a deleted entry got: \(failure)")
    }
  }
}
