import Foundation
import SharedChannels

extension CheckRun {
  func checkRestart() async throws {
    let batches = [batch("r", 0..<3), batch("r", 3..<10)]
    let (receipts, snapshot) = try await fill(batches)
    let log = try await open()
    try require(try await readAll(log), are: batches, at: receipts)
    try require(
      try await log.snapshot(version: 1) == snapshot, "the snapshot is not there after a restart")
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
      try await log.snapshot(version: 1) == nil, "a snapshot of what was lost is there")
    let snapshot = try await log.snapshot(version: 2)
    try require(
      snapshot?.position == entries[7].position && snapshot?.data == kept.data,
      "the snapshot before the backup is not there, in the new epoch")
    try await log.keep(Snapshot(version: 3, position: lost[19], data: Data()))
    try require(
      try await log.snapshot(version: 3) == nil, "a snapshot of a lost position was kept")
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
    try require(try await log.snapshot(version: 1) == nil, "a new log has a snapshot")
    let positions = try await log.append(batch("s", 0..<10)).map(\.position)
    func snapshot(_ version: Int, at index: Int, _ data: Data) -> Snapshot {
      Snapshot(version: version, position: positions[index - 1], data: data)
    }
    let large = snapshot(1, at: 9, Data(repeating: 7, count: 5 << 20))
    let another = snapshot(2, at: 2, Data([0, 1, 255]))
    for kept in [snapshot(1, at: 5, Data("5".utf8)), another, large] {
      try await log.keep(kept)
      try require(
        try await other.snapshot(version: kept.version) == kept,
        "the snapshot at \(kept.position.index) is not the newest")
    }
    let unknown = Position(epoch: positions[9].epoch, index: 10, mark: positions[9].mark ^ 1)
    let beyond = Position(epoch: positions[9].epoch, index: 99, mark: 1)
    for position in [positions[2], unknown, beyond] {
      try await other.keep(Snapshot(version: 1, position: position, data: Data()))
    }
    try require(
      try await log.snapshot(version: 1) == large,
      "an older snapshot, or one of an unknown position, has replaced the newest")
    try require(
      try await log.snapshot(version: 2) == another,
      "a version's snapshot was replaced by another's")
  }
}
