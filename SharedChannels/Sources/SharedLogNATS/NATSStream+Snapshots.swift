import Foundation
import SharedChannels

extension NATSStream {
  /// What the subject of a version has.
  private struct Pointer: Codable {
    let index: Int64
    let mark: Int64
    /// The sequences of the parts.
    let parts: [Int64]
  }

  private static let partBytes = 1 << 20
  /// How many entries are deleted in one step.
  private static let stepCount: Int64 = 10_000

  func snapshot(upToVersion newestVersion: Int) throws -> Snapshot? {
    try synchronize()
    let newest = try newest()
    let pointers = try pointers().filter {
      $0.key <= newestVersion && $0.value.0.index >= newest.first
    }
    guard let (version, (pointer, _)) = pointers.max(by: { $0.key < $1.key }) else { return nil }
    let data = try pointer.parts.reduce(into: Data()) { data, sequence in
      guard let part = try message(at: sequence) else {
        throw LogFailure.unreachable("another snapshot was stored meanwhile")
      }
      data.append(part.data ?? Data())
    }
    let position = Position(epoch: newest.epoch, index: pointer.index, mark: pointer.mark)
    return Snapshot(version: version, position: position, data: data)
  }

  /// The parts come first, and then what points to them. If another machine stores one of this version at the same time,
  /// the first pointer wins, and the other's parts are deleted with the next snapshot.
  func keep(_ snapshot: Snapshot) throws {
    try synchronize()
    let (position, subject) = (snapshot.position, "s.\(snapshot.version)")
    let old = try pointer(snapshot.version)
    guard position.index > old?.pointer.index ?? 0, try batch(of: position, newest()) != nil else {
      return
    }
    var parts: [Int64] = []
    for start in stride(from: 0, to: snapshot.data.count, by: Self.partBytes) {
      let part = Data(snapshot.data.dropFirst(start).prefix(Self.partBytes))
      guard case .stored(let sequence) = try store("\(subject).part", part, after: nil) else {
        return
      }
      parts.append(sequence)
    }
    let pointer = Pointer(index: position.index, mark: position.mark, parts: parts)
    // If an entry was made blank meanwhile, the snapshot may have it. The old one stays.
    guard try newest().epoch == position.epoch,
      let sequence = try point(subject, to: pointer, after: old?.sequence ?? 0)
    else { return }
    if try newest().epoch == position.epoch {
      try purge("\(subject).*", before: parts.first ?? sequence)
    } else if let old {
      _ = try point(subject, to: old.pointer, after: sequence)
    } else {
      try purge("\(subject).*", before: sequence + 1)
    }
  }

  /// Nil if another machine has stored one.
  private func point(
    _ subject: String, to pointer: Pointer, after sequence: Int64
  ) throws -> Int64? {
    let data = try JSONEncoder().encode(pointer)
    guard case .stored(let sequence) = try store("\(subject).at", data, after: sequence) else {
      return nil
    }
    return sequence
  }

  /// First all machines are told where the log begins now. Then the messages are deleted, of whole batches only: of the
  /// batch with the first entry, readers skip what comes before that.
  func compact(before index: Int64, behind snapshot: Position) throws -> Int {
    try synchronize()
    func isThere() throws -> Bool {
      try pointers().values.contains {
        $0.pointer.index == snapshot.index && $0.pointer.mark == snapshot.mark
      }
    }
    guard try isThere(), try batch(of: snapshot, newest()) != nil else { return 0 }
    var count: Int64 = 0
    let stored = try store { newest in
      count = min(index, snapshot.index, newest.first + Self.stepCount) - newest.first
      guard newest.epoch == snapshot.epoch, count > 0, try isThere() else { return nil }
      var record = newest.next()
      record.first += count
      return record
    }
    // If nothing is to be deleted, a machine may have died before it has deleted the messages.
    for subject in ["b", "sync"] { try purge(subject, before: keys.firstSequence) }
    for subject in try subjects("x.*") where Int64(subject.dropFirst(2)) ?? 0 < keys.firstSequence {
      try purge(String(subject), before: .max)
    }
    let first = keys.newest?.first ?? 0
    try purgeSnapshots { $0 < first }
    return stored == nil ? 0 : Int(count)
  }

  /// Deletes the batch, after its replacement was stored, which readers then find. It must not be the newest record: so
  /// another one comes first. The new epoch comes last. So if this machine dies before it, it can be called again.
  func blank(_ position: Position) throws {
    try synchronize()
    let subject = "x.\(NATSRecord.sequence(ofMark: position.mark))"
    let older = try last(subject)?.seq ?? 0
    guard let batch = try batch(of: position, newest()) else { return }
    let stored = try store { newest in
      guard newest.epoch == position.epoch else { return nil }
      if newest.first > 1, try pointers().values.contains(where: { $0.0.index >= position.index }) {
        throw LogFailure.refused("a version could not begin anew: its snapshot has the entry")
      }
      return newest.next()
    }
    if stored == nil { return }
    let data = NATSRecord.encode(
      try batch.entries().map {
        Keyed(key: $0.key, $0.position.index == position.index ? Data() : $0.value)
      })
    let headers = [NATSRecord.header: batch.text]
    guard case .stored(let sequence) = try store(subject, data, headers, after: older) else {
      throw LogFailure.unreachable("another entry of the batch was made blank at the same time")
    }
    try purge(subject, before: sequence)
    if try message(at: batch.sequence) != nil {
      try request("STREAM.MSG.DELETE", #"{"seq": \#(batch.sequence)}"#).requireSuccess()
    }
    try purgeSnapshots { $0 >= position.index }
    _ = try beginEpoch(after: position.epoch)
    // Those that were stored meanwhile.
    try purgeSnapshots { $0 >= position.index }
  }

  private func purgeSnapshots(_ isGone: (Int64) -> Bool) throws {
    for (version, (pointer, sequence)) in try pointers() where isGone(pointer.index) {
      try purge("s.\(version).*", before: sequence + 1)
    }
  }

  private func pointers() throws -> [Int: (pointer: Pointer, sequence: Int64)] {
    let versions = try subjects("s.*.at").compactMap { Int($0.split(separator: ".")[1]) }
    return try versions.reduce(into: [:]) { $0[$1] = try pointer($1) }
  }

  private func pointer(_ version: Int) throws -> (pointer: Pointer, sequence: Int64)? {
    guard let message = try last("s.\(version).at"), let data = message.data else { return nil }
    return (try JSONDecoder().decode(Pointer.self, from: data), message.seq)
  }
}
